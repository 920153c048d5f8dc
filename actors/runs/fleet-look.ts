/** Small parts that head and workers of a fleet share. */
import { faultRecord } from "../../protocol/faults.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

/** One piece of work at a time for each name. */
export function createExclusive() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}

/** At most `most` pieces of work at a time. */
export function createLimit(most: number) {
  let busy = 0;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (busy >= most) await new Promise<void>((resolve) => queue.push(resolve));
    else busy += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) busy -= 1;
      else next();
    }
  };
}

/** Calls `act` every `ms` and on demand, one call at a time and `leastMs` apart; a demand during a call makes one more. Begins with the first demand. */
export function createLook(clock: Clock, ms: number, act: () => Promise<void>, leastMs = 0) {
  let running: Promise<void> | null = null;
  let again = false;
  let closed = false;
  let timer: Timer | null = null;
  const begin = (): void => {
    if (closed) return;
    again = false;
    running = act().finally(() => {
      running = null;
      if (!closed) timer = clock.timer(again ? leastMs : ms, begin);
    });
  };
  return {
    now(): void {
      if (closed || again) return;
      again = true;
      if (running !== null) return;
      timer?.cancel();
      timer = clock.timer(leastMs, begin);
    },
    async close(): Promise<void> {
      closed = true;
      timer?.cancel();
      await running;
    },
  };
}

export interface Trouble {
  /** What does not work for now; null: nothing. */
  readonly words: string | null;
  note(what: string, error: unknown): void;
  /** Something works; the trouble is over when nothing has noted it again for a while. */
  eased(): void;
}

const troubleMs = 15_000;

/** Logs a trouble when it begins and changes, not at each try. */
export function createTrouble(log: Log): Trouble {
  let last: { message: string; at: number } | null = null;
  return {
    get words() {
      return last?.message ?? null;
    },
    note(what, error) {
      const { message } = faultRecord(error);
      if (message !== last?.message) log.warn(`${what}: ${message}`);
      last = { message, at: performance.now() };
    },
    eased() {
      if (last === null || performance.now() - last.at < troubleMs) return;
      log.info("the fleet goes on", { after: last.message });
      last = null;
    },
  };
}

/** 0 for none. */
export function majorOf(version: string | null): number {
  return Number.parseInt(version ?? "0", 10) || 0;
}
