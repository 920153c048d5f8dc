/** The idle timer of one browser: counts from the end of the last call that named the profile. */
import type { Clock, Timer } from "../kernel/clock.ts";

export interface IdleTimer {
  /** A call that named the profile has come and gone. */
  touch(): void;
  /** Something uses the profile until the returned function is called (once): it is not idle meanwhile. */
  hold(): () => void;
  /** Never fires again. */
  close(): void;
}

/** Calls `expire` after `idleTimeoutSecs` without use; 0 never. */
export function createIdleTimer(clock: Clock, idleTimeoutSecs: number, expire: () => void): IdleTimer {
  let timer: Timer | null = null;
  let holders = 0;
  let closed = false;

  const restart = () => {
    timer?.cancel();
    timer = null;
    if (closed || holders > 0 || idleTimeoutSecs === 0) return;
    timer = clock.timer(idleTimeoutSecs * 1000, expire);
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
    close() {
      closed = true;
      restart();
    },
  };
}
