/** Steps 1 to 3 of the order of checks (gateway/README.md, "Order of checks"); the rest is in `callRoute`. */

import { isLoopbackHost } from "../../protocol/loopback-host.ts";
import { type Handler, targetOf } from "../boundary.ts";
import type { CdpAddress } from "../cdp/address.ts";
import { type McpHandler, mcpPath } from "../mcp/endpoint.ts";
import { respondEmpty } from "../respond.ts";
import type { Tokens } from "./auth.ts";
import { callRoute, type RouteContext } from "./call-route.ts";
import { checkPlan } from "./invoke.ts";

export interface GateContext extends RouteContext {
  tokens: Tokens;
  mcp: McpHandler;
  cdp: CdpAddress;
}

export function createGate(context: GateContext, port: () => number): Handler {
  return (exchange) => {
    const { request, response } = exchange;
    if (!isLoopbackHost(request.headers.host, port())) return respondEmpty(response, 403);
    // Below a CDP address the query may have the token.
    const below = context.cdp.holder(request);
    const principal = below === undefined ? context.tokens.holder(request.headers.authorization) : below;
    if (principal === null) return respondEmpty(response, 401);
    checkPlan(context.settings());
    if (targetOf(request.url).path === mcpPath) return context.mcp(exchange, principal);
    const caller = { principal, source: null };
    if (below === undefined) return callRoute(context, exchange, caller);
    return context.cdp.answer(exchange).then((done) => {
      if (!done) return callRoute(context, exchange, caller);
    });
  };
}
