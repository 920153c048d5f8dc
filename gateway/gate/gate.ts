/** The order of checks on a request (DECISIONS), one after the other, and what is written when one refuses. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../../actors/kernel/log.ts";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { Settings } from "../../protocol/records.ts";
import type { Actors } from "../actors.ts";
import { respond, respondEmpty, respondFault } from "../respond.ts";
import type { Call, Principal, Route } from "../route.ts";
import type { Match } from "../router.ts";
import type { Tokens } from "./auth.ts";
import { readBody } from "./body.ts";
import { isLoopbackHost } from "./host-check.ts";
import type { Budget, Standing } from "./rate-limit.ts";
import { checkBody, checkParams, checkQuery } from "./shapes.ts";

/** What the gate asks. */
export interface GateContext {
  actors: Actors;
  tokens: Tokens;
  budget: Budget;
  settings(): Settings;
  find(method: string, path: string): Match;
  document(): object;
  log: Log;
}

type Headers = Record<string, string | number>;

/** Handles every request of the API listener on `port`. */
export function createGate(context: GateContext, port: () => number) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!isLoopbackHost(request.headers.host, port())) {
      respondEmpty(response, 403);
      return;
    }
    const principal = context.tokens.holder(request.headers.authorization);
    if (principal === null) {
      respondEmpty(response, 401);
      return;
    }
    const headers: Headers = {};
    pass(context, request, principal, headers).then(
      ({ route, reply }) => respond(response, route.reply.status, reply, headers),
      (error: unknown) => refuse(context, request, response, error, headers),
    );
  };
}

/** Steps 3 to 8; adds to `headers` what every reply of this call carries. */
async function pass(context: GateContext, request: IncomingMessage, principal: Principal, headers: Headers) {
  const { plan } = context.settings();
  if (!plan.api) {
    throw new Fault(
      "forbidden",
      `the plan "${plan.name}" does not include the API; change the plan in the application`,
    );
  }
  const url = request.url ?? "/";
  const queryAt = url.indexOf("?");
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const { route, params } = context.find(request.method ?? "GET", path);
  if (route.access === "write" && principal.access === "read") {
    throw new Fault(
      "forbidden",
      `token "${principal.tokenName}" may only read; ${route.id} needs a write token`,
    );
  }
  const call: Call<unknown, unknown, unknown> = {
    params: checkParams(route, params),
    query: checkQuery(route, new URLSearchParams(queryAt < 0 ? "" : url.slice(queryAt + 1))),
    body: checkBody(route, route.method === "GET" ? undefined : await readBody(request)),
    actors: context.actors,
    principal,
    ...idempotency(route, request.headers["idempotency-key"]),
    document: context.document,
  };
  if (route.expensive) charge(context, principal, headers);
  const named = (route.names?.(call) ?? []).map((id) => id.toLowerCase());
  if (named.length > 0) await context.actors.pool.touch({ profileIds: named });
  return { route, reply: await route.handle(call) };
}

/** The key of a route that takes one. Throws `invalid`. */
function idempotency(route: Route, key: string | string[] | undefined): { idempotencyKey?: string } {
  if (route.idempotent !== true || key === undefined) return {};
  const max = limits.idempotencyKeyCharsMax;
  if (typeof key === "string" && key.length <= max && /^[\x21-\x7e]+$/.test(key))
    return { idempotencyKey: key };
  throw new Fault(
    "invalid",
    `Idempotency-Key must be 1 to ${max} visible ASCII characters, such as a uuid, got ${JSON.stringify(key).slice(0, 80)}`,
  );
}

function charge(context: GateContext, principal: Principal, headers: Headers): void {
  const standing = context.budget.count(principal.tokenName, context.settings().expensiveCallsMax);
  if (standing === null) return;
  Object.assign(headers, budgetHeaders(standing));
  if (standing.allowed) return;
  headers["retry-after"] = standing.resetSecs;
  throw new Fault(
    "rate-limited",
    `more than ${standing.limit} expensive calls in 60 s for this token; try again in ${standing.resetSecs} s`,
  );
}

function budgetHeaders(standing: Standing): Headers {
  return {
    "ratelimit-limit": standing.limit,
    "ratelimit-remaining": standing.remaining,
    "ratelimit-reset": standing.resetSecs,
  };
}

function refuse(
  { log }: GateContext,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  headers: Headers,
): void {
  // The caller left while its body was read, or while the handler worked: nobody is there to answer.
  if (response.destroyed || request.errored) return;
  const fault = error instanceof Fault ? error : new Fault("internal", faultRecord(error).message);
  if (!(error instanceof Fault))
    log.error("a request failed", { method: request.method, url: request.url, error });
  if (fault.kind === "wrong-method" && Array.isArray(fault.detail?.allowed)) {
    headers.allow = fault.detail.allowed.join(", ");
  }
  // What is left of an oversized body is not read: the connection cannot be used again.
  if (fault.kind === "too-large") headers.connection = "close";
  respondFault(response, fault, headers);
}
