/** An alarm on the wall clock. Rings on time even if the clock jumps or the machine sleeps. */
import type { Clock, Timer } from "../kernel/clock.ts";

export interface Alarm {
  /** Rings once at this instant, or at once if it has passed. Replaces the previous value; null turns it off. */
  set(at: number | null): void;
  readonly at: number | null;
}

export interface AlarmOptions {
  clock: Clock;
  /** The longest timer: timers stop while the machine sleeps, so the clock is checked at this interval. */
  lookMs: number;
  ring(): void;
  setBack(): void;
}

/** Time servers correct by seconds; an hour or more is a user who corrects the date. */
const setBackMsMin = 3_600_000;

export function createAlarm({ clock, lookMs, ring, setBack }: AlarmOptions): Alarm {
  let at: number | null = null;
  let timer: Timer | null = null;

  const sleep = () => {
    if (at === null) return;
    const began = clock.now();
    timer = clock.timer(Math.max(0, Math.min(at - began, lookMs)), () => {
      timer = null;
      const now = clock.now();
      if (now < began - setBackMsMin) setBack();
      if (at === null || timer !== null) return; // `setBack` has set it again.
      if (now < at) return sleep();
      at = null;
      ring();
    });
  };
  return {
    set(next) {
      timer?.cancel();
      timer = null;
      at = next;
      sleep();
    },
    get at() {
      return at;
    },
  };
}
