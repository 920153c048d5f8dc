/** Watching the browser's DevTools traffic, for the log and for traces. Costs nothing while no one watches. */
import { createLog } from "../../kernel/log.ts";
import { levelOf } from "../../kernel/log-levels.ts";
import { currentTrail, followTrail, type TrailText } from "../../kernel/trail.ts";
import type { Incoming } from "./cbor.ts";

/** A command to the browser, ours or a client's. */
export interface Outgoing {
  id: number;
  method?: unknown;
  params?: unknown;
  sessionId?: unknown;
}

export interface Watcher {
  sent(message: Outgoing): void;
  /** `message` is valid only during the call. */
  received(message: Incoming, bytes: number): void;
}

/** At level debug of area `cdp`: a line for each message, without what is in it. */
export function loggedTraffic(): Watcher[] {
  if (levelOf("cdp") !== "debug") return [];
  const log = createLog("cdp");
  /** Of commands without a reply yet, which is logged on the same trail. */
  const trails = new Map<number, TrailText | undefined>();
  return [
    {
      sent({ id, method, sessionId }) {
        trails.set(id, currentTrail());
        log.debug("sent", { id, method, session: sessionId });
      },
      received({ id, method, sessionId, error }, bytes) {
        const trail = trails.get(id ?? 0);
        trails.delete(id ?? 0);
        followTrail(trail, () =>
          log.debug("received", { id, method, session: sessionId, bytes, ...(error ? { error: true } : {}) }),
        );
      },
    },
  ];
}
