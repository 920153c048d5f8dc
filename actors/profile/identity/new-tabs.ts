/**
 * When the browser's own session listens for requests of tabs that have no session yet, or none any more. A tab that a page opens is
 * held, and so is its first request. One that the browser itself opens (ctrl-click, a client's `Target.createTarget`) sends its first
 * request at once, and one that is closed may still ask for its icon, both with the host's hints; only what listens beforehand meets
 * it. Listening there leads every load of every realm past the browser's main thread: a page with 20 frames and 20 workers took an
 * eighth more processor time. So it is done while such a tab can appear or go: while there are two, while somebody's hands are on the
 * browser (a client is attached, or input goes to a page), and as long after as a page may use the click that it was given.
 */
import type { CdpSession } from "../cdp/session.ts";

export interface NewTabs {
  /** Somebody may make the browser open tabs from now on, until the answer's `off` is called, and a while longer. */
  handsOn(): Hands;
}

export interface Hands {
  /** Resolves when what they open is met. What is sent later on the pipe need not wait for it. */
  ready: Promise<unknown>;
  off(): void;
}

/** A page may open windows for 5 s after a click or key (HTML's transient activation, as Chromium has it). */
const lingerMs = 6_000;

/** `enable` is for the requests that `root` is to hold. */
export function watchNewTabs(
  root: Pick<CdpSession, "send">,
  enable: () => Promise<unknown>,
  linger = lingerMs,
): NewTabs {
  let hands = 0;
  let until = 0;
  let timer: NodeJS.Timeout | null = null;
  let listening: Promise<unknown> | null = null;
  const look = () => {
    timer = null;
    if (hands > 0) return;
    const left = until - performance.now();
    if (left > 0) timer = setTimeout(look, left).unref();
    else {
      listening = null;
      root.send("Fetch.disable", {}).catch(() => {}); // The browser may be gone.
    }
  };
  return {
    handsOn() {
      hands += 1;
      if (listening === null) {
        listening = enable();
        listening.catch(() => {});
      }
      let on = true;
      return {
        ready: listening,
        off() {
          if (!on) return;
          on = false;
          hands -= 1;
          until = performance.now() + linger;
          if (hands === 0 && timer === null) timer = setTimeout(look, linger).unref();
        },
      };
    },
  };
}
