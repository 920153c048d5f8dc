/** Steps 5 to 8 of the order of checks (gateway/README.md, "Order of checks"), for REST, MCP and the application. */
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { Settings } from "../../protocol/records.ts";
import type { RunSource } from "../../protocol/scalars.ts";
import type { Actors } from "../actors.ts";
import type { Headers } from "../respond.ts";
import type { Call, Principal, Reply, Route } from "../route.ts";
import type { Budget } from "./rate-limit.ts";
import { checkBody, checkParams, checkQuery } from "./shapes.ts";

export interface InvokeContext {
  actors: Actors;
  budget: Budget;
  settings(): Settings;
  document(): object;
}

/** How long a call took, and its fault if any. */
function measured(context: InvokeContext, route: Route, begun: number, error?: unknown): void {
  const fault = error instanceof Fault ? error.kind : "internal";
  const outcome = error === undefined ? "ok" : fault;
  context.actors.metrics.called(route.id, outcome, (performance.now() - begun) / 1_000);
}

export interface Caller {
  principal: Principal;
  source: RunSource | null;
  /** The user in the application: no budget. */
  uncounted?: true;
}

/** Unchecked input. Query and body are read only when the checks reach them. */
export interface Given {
  params: Record<string, string | undefined>;
  query(): Record<string, unknown>;
  body(): Promise<object | undefined>;
  idempotencyKey: string | string[] | undefined;
  /** In place of the body. */
  file?: string;
  onGone?(act: () => void): void;
  header?(name: string): string | undefined;
}

/** Throws `forbidden` when the plan does not include the API (protocol/README.md, "Authentication"). */
export function checkPlan({ plan }: Settings): void {
  if (plan.api) return;
  throw new Fault(
    "forbidden",
    `the plan "${plan.name}" does not include the API; change the plan in the application`,
  );
}

/** Adds the budget's state to `headers`. Throws `forbidden`, `invalid`, `rate-limited`, and the operation's own faults. */
export async function invoke(...given: Parameters<typeof carryOut>): Promise<Reply> {
  const [context, route] = given;
  const begun = performance.now();
  try {
    const reply = await carryOut(...given);
    measured(context, route, begun);
    return reply;
  } catch (error) {
    measured(context, route, begun, error);
    throw error;
  }
}

async function carryOut(
  context: InvokeContext,
  route: Route,
  given: Given,
  caller: Caller,
  headers: Headers,
): Promise<Reply> {
  const { principal, source } = caller;
  if (route.access === "write") refuseReader(principal, route.id);
  const call: Call<unknown, unknown, unknown> = {
    params: checkParams(route, given.params),
    query: checkQuery(route, given.query()),
    body: given.file === undefined ? checkBody(route, await given.body()) : {},
    ...(given.file === undefined ? {} : { file: given.file }),
    actors: context.actors,
    principal,
    source,
    onGone: given.onGone ?? (() => {}),
    header: given.header ?? (() => undefined),
    ...idempotency(route, given.idempotencyKey),
    document: context.document,
  };
  if (route.expensive && caller.uncounted !== true) charge(context, principal, headers);
  const named = (route.names?.(call) ?? []).map((id) => id.toLowerCase());
  if (named.length > 0) await context.actors.pool.touch({ profileIds: named });
  return route.handle(call);
}

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

/** Throws `forbidden` for a read token. */
export function refuseReader({ access, tokenName }: Principal, what: string): void {
  if (access === "read")
    throw new Fault("forbidden", `token "${tokenName}" may only read; ${what} needs a write token`);
}

/** Counts an expensive call, and adds the budget's state to `headers`. Throws `rate-limited`. */
export function charge(
  context: Pick<InvokeContext, "budget" | "settings">,
  principal: Principal,
  headers: Headers,
): void {
  const standing = context.budget.count(principal.tokenName, context.settings().expensiveCallsMax);
  if (standing === null) return;
  headers["ratelimit-limit"] = standing.limit;
  headers["ratelimit-remaining"] = standing.remaining;
  headers["ratelimit-reset"] = standing.resetSecs;
  if (standing.allowed) return;
  headers["retry-after"] = standing.resetSecs;
  throw new Fault(
    "rate-limited",
    `more than ${standing.limit} expensive calls in 60 s for this token; try again in ${standing.resetSecs} s`,
  );
}
