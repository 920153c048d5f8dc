/** Time as a parameter, so that tests can advance it by hand. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  now(): number;
  /** Fires once, `ms` from now. It does not keep the process alive. */
  timer(ms: number, fire: () => void): Timer;
}

/** The limit of setTimeout; longer waits are chained. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  timer(ms, fire) {
    const due = Date.now() + ms;
    const arm = (): NodeJS.Timeout => {
      const left = due - Date.now();
      const handle =
        left > timerMsMax
          ? setTimeout(() => {
              current = arm();
            }, timerMsMax)
          : setTimeout(fire, Math.max(0, left));
      handle.unref();
      return handle;
    };
    let current = arm();
    return { cancel: () => clearTimeout(current) };
  },
};

/** Resolves when the clock reaches `at`, never earlier; at once when `at` is past or more than `msMax` away. */
export async function untilTime(clock: Clock, at: number, msMax: number): Promise<void> {
  for (let left = at - clock.now(); left > 0 && left <= msMax; left = at - clock.now()) {
    const ms = left;
    await new Promise<void>((resolve) => clock.timer(ms, resolve)); // A timer can fire a millisecond early.
  }
}

/** A clock for tests: it changes only by `advance` and `jump`. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ at: number; fire: () => void }>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  timer(ms: number, fire: () => void): Timer {
    const entry = { at: this.#now + ms, fire };
    this.#timers.add(entry);
    return { cancel: () => void this.#timers.delete(entry) };
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Changes `now` by `ms` and leaves timers their remaining wait, as when the system clock is set. */
  jump(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) timer.at += ms;
  }

  /** Moves time on by `ms` and fires due timers in order; promise callbacks run between two timers. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const next = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.fire();
    }
    this.#now = end;
  }
}
