/** The idle timer of one browser, which starts again at the end of each call for the profile. */
import type { Clock, Timer } from "../kernel/clock.ts";

export interface IdleTimer {
  touch(): void;
  /** Stops the timer until the returned function is called. */
  hold(): () => void;
  /** Expires at once, if it runs. */
  expireNow(): void;
  close(): void;
}

/** Calls `expire` after `idleTimeoutSecs` without use; 0 means never. */
export function createIdleTimer(clock: Clock, idleTimeoutSecs: number, expire: () => void): IdleTimer {
  let timer: Timer | null = null;
  let holders = 0;
  let closed = false;

  const restart = () => {
    timer?.cancel();
    timer = null;
    if (closed || holders > 0 || idleTimeoutSecs === 0) return;
    timer = clock.timer(idleTimeoutSecs * 1000, () => {
      timer = null;
      expire();
    });
  };
  restart();
  return {
    touch: restart,
    hold() {
      holders += 1;
      restart();
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holders -= 1;
        restart();
      };
    },
    expireNow() {
      if (timer === null) return;
      timer.cancel();
      timer = null;
      expire();
    },
    close() {
      closed = true;
      restart();
    },
  };
}
