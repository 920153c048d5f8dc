/** An alarm on the wall clock: it rings at a time of day, also when the clock jumps or the machine sleeps in between. */
import type { Clock, Timer } from "../kernel/clock.ts";

export interface Alarm {
  /** Rings once at this instant, at once when it has passed; null: not at all. Replaces what was set. */
  set(at: number | null): void;
  /** What it is set to. */
  readonly at: number | null;
}

export interface AlarmOptions {
  clock: Clock;
  /** Timers count the time that the machine is awake, whatever its clock shows: this often the two are compared. */
  lookMs: number;
  ring(): void;
  /** The wall clock has been put back by more than `setBackMsMin`. */
  setBack(): void;
}

/** A clock that is put right by a time server moves by seconds; an hour is somebody's correction of a wrong date. */
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
      if (at === null || timer !== null) return; // `setBack` has set it anew.
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
