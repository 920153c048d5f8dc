/** Steps 4 to 8 of the order of checks (gateway/README.md, "Order of checks") for a request over HTTP. */
import { type Exchange, targetOf } from "../boundary.ts";
import { respond } from "../respond.ts";
import type { Match } from "../router.ts";
import { readBody } from "./body.ts";
import { type Caller, type InvokeContext, invoke } from "./invoke.ts";
import { queryValues } from "./shapes.ts";

export interface RouteContext extends InvokeContext {
  find(method: string, path: string): Match;
}

export async function callRoute(
  context: RouteContext,
  { request, response, headers }: Exchange,
  caller: Caller,
): Promise<void> {
  const { path, query } = targetOf(request.url);
  const { route, params } = context.find(request.method ?? "GET", path);
  const given = {
    params,
    query: () => (query === "" ? {} : queryValues(route, new URLSearchParams(query))),
    body: async () => (route.method === "GET" ? undefined : await readBody(request, route.bodyForms)),
    idempotencyKey: request.headers["idempotency-key"],
  };
  const reply = await invoke(context, route, given, caller, headers);
  respond(response, route.reply.status, reply, headers);
}
