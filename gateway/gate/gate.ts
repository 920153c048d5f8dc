/** Steps 1 to 3 of the order of checks (gateway/README.md, "Order of checks"); the rest is in `callRoute`. */

import { isLoopbackHost } from "../../protocol/loopback-host.ts";
import { type Handler, targetOf } from "../boundary.ts";
import { type McpHandler, mcpPath } from "../mcp/endpoint.ts";
import { respondEmpty } from "../respond.ts";
import type { Tokens } from "./auth.ts";
import { callRoute, type RouteContext } from "./call-route.ts";
import { checkPlan } from "./invoke.ts";

export interface GateContext extends RouteContext {
  tokens: Tokens;
  mcp: McpHandler;
}

export function createGate(context: GateContext, port: () => number): Handler {
  return (exchange) => {
    const { request, response } = exchange;
    if (!isLoopbackHost(request.headers.host, port())) return respondEmpty(response, 403);
    const principal = context.tokens.holder(request.headers.authorization);
    if (principal === null) return respondEmpty(response, 401);
    checkPlan(context.settings());
    if (targetOf(request.url).path === mcpPath) return context.mcp(exchange, principal);
    return callRoute(context, exchange, { principal, source: null });
  };
}
