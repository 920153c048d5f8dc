/** The order of checks on a request (gateway/README.md, "Order of checks"), one after the other, and what is written when one refuses. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../../actors/kernel/log.ts";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { type McpHandler, mcpPath } from "../mcp/endpoint.ts";
import { respond, respondEmpty, respondFault } from "../respond.ts";
import type { Principal } from "../route.ts";
import type { Match } from "../router.ts";
import type { Tokens } from "./auth.ts";
import { readBody } from "./body.ts";
import { isLoopbackHost } from "./host-check.ts";
import { checkPlan, type Headers, type InvokeContext, invoke } from "./invoke.ts";
import { queryValues } from "./shapes.ts";

/** What the gate asks. */
export interface GateContext extends InvokeContext {
  tokens: Tokens;
  find(method: string, path: string): Match;
  mcp: McpHandler;
  log: Log;
}

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
    if (isMcp(request.url)) {
      passMcp(context, request, response, principal).catch((error: unknown) =>
        refuse(context, request, response, error, headers),
      );
      return;
    }
    pass(context, request, principal, headers).then(
      ({ route, reply }) => respond(response, route.reply.status, reply, headers),
      (error: unknown) => refuse(context, request, response, error, headers),
    );
  };
}

function isMcp(url: string | undefined): boolean {
  return url === mcpPath || url?.startsWith(`${mcpPath}?`) === true;
}

/** Step 3; the tools take the others. */
async function passMcp(
  context: GateContext,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
): Promise<void> {
  checkPlan(context.settings());
  await context.mcp(request, response, principal);
}

/** Steps 3 to 8; adds to `headers` what every reply of this call carries. */
async function pass(context: GateContext, request: IncomingMessage, principal: Principal, headers: Headers) {
  checkPlan(context.settings());
  const url = request.url ?? "/";
  const queryAt = url.indexOf("?");
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const { route, params } = context.find(request.method ?? "GET", path);
  const given = {
    params,
    query: () => (queryAt < 0 ? {} : queryValues(route, new URLSearchParams(url.slice(queryAt + 1)))),
    body: async () => (route.method === "GET" ? undefined : await readBody(request)),
    idempotencyKey: request.headers["idempotency-key"],
  };
  return { route, reply: await invoke(context, route, given, { principal, source: null }, headers) };
}

function refuse(
  { log }: GateContext,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  headers: Headers,
): void {
  // The caller left while its body was read, or while the handler worked: nobody is there to answer.
  if (response.destroyed || response.headersSent || request.errored) return;
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
