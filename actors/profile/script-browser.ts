/** The browser's interface for scripts, over the control pipe. */
import type { ScriptBrowser } from "../script/relay.ts";
import type { OpenProfile } from "./launch-by-proxy.ts";

export function scriptBrowser({
  launched: { cdpUrl },
  connection: { openClient, backlog, drained },
  settled,
  guardRequests,
}: Pick<OpenProfile, "launched" | "connection" | "settled" | "guardRequests">): ScriptBrowser {
  const guard = guardRequests === undefined ? {} : { guardRequests };
  return { cdpUrl, openClient, backlog, drained, settled, ...guard };
}
