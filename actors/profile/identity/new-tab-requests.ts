/** Pauses requests on the browser's session while a tab may lack a session of its own. Not always, because it slows every load. */
import type { CdpSession } from "../cdp/session.ts";

export interface NewTabs {
  /** Tabs may be opened or closed from now until some time after `end`. */
  watch(): TabWatch;
}

export interface TabWatch {
  /** Resolves when their requests are paused. Later commands on the pipe need not wait. */
  ready: Promise<unknown>;
  end(): void;
}

/** Chromium lets a page open windows for 5 s after a click or key. */
const lingerMs = 6_000;

export function watchNewTabs(
  root: Pick<CdpSession, "send">,
  enable: () => Promise<unknown>,
  linger = lingerMs,
): NewTabs {
  let watches = 0;
  let until = 0;
  let timer: NodeJS.Timeout | null = null;
  let listening: Promise<unknown> | null = null;
  const look = () => {
    timer = null;
    if (watches > 0) return;
    const left = until - performance.now();
    if (left > 0) timer = setTimeout(look, left).unref();
    else {
      listening = null;
      root.send("Fetch.disable", {}).catch(() => {}); // The browser may have ended.
    }
  };
  return {
    watch() {
      watches += 1;
      if (listening === null) {
        listening = enable();
        listening.catch(() => {});
      }
      let ended = false;
      return {
        ready: listening,
        end() {
          if (ended) return;
          ended = true;
          watches -= 1;
          until = performance.now() + linger;
          if (watches === 0 && timer === null) timer = setTimeout(look, linger).unref();
        },
      };
    },
  };
}
