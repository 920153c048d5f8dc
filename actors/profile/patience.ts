/** Waits for a browser while it makes progress, however slow, and not while it hangs. */
import { type Clock, systemClock } from "../kernel/clock.ts";

export interface Patience {
  /** The wait lasts at least this long. */
  usualMs: number;
  /** After that, only while the browser has used the processor within this time. */
  stillMs: number;
  /** The wait ends at the latest after `longestMs`, or after `workMaxMs` of processor time. */
  longestMs: number;
  workMaxMs: number;
}

/** Why the wait ended without a value, as in `no answer within 45 s, and …`. */
export interface Late {
  late: string;
}

const lookMs = 1_000;
const someWorkMs = 50;
/** A launch that takes longer, with less than this share of a core, is slow because the machine is busy. */
const slowMs = 5_000;
const slowShare = 0.5;

/** The value of `promise`, or why the wait ended. `workMs`: the processor time, or null, which makes the wait last `usualMs`. */
export function patiently<T>(
  promise: Promise<T>,
  workMs: () => number | null,
  { usualMs, stillMs, longestMs, workMaxMs }: Patience,
  { clock = systemClock, onSlow = () => {} }: { clock?: Clock; onSlow?: () => void } = {},
): Promise<{ value: T } | Late> {
  const judge = (waitedMs: number, looks: readonly (number | null)[]): string | null => {
    const work = looks.at(-1) ?? null;
    const secs = Math.round(waitedMs / 1_000);
    if (work === null) return waitedMs >= usualMs ? `no answer within ${secs} s` : null;
    if (work >= workMaxMs)
      return `no answer within ${secs} s, after ${Math.round(work / 1_000)} s of processor time`;
    const before = looks.at(-1 - Math.ceil(stillMs / lookMs)) ?? 0;
    const isStill = work - before < someWorkMs;
    if (waitedMs >= usualMs && isStill)
      return `no answer within ${secs} s, and no progress for ${Math.round(stillMs / 1_000)} s: it hangs`;
    return waitedMs >= longestMs ? `no answer within ${secs} s on a busy machine` : null;
  };
  return new Promise((resolve, reject) => {
    const looks: (number | null)[] = [];
    let isSlow = false;
    const look = () => {
      looks.push(workMs());
      const waitedMs = looks.length * lookMs;
      const late = judge(waitedMs, looks);
      if (late !== null) return resolve({ late });
      const work = looks.at(-1) ?? null;
      if (!isSlow && waitedMs >= slowMs && work !== null && work < waitedMs * slowShare) {
        isSlow = true;
        onSlow();
      }
      timer = clock.timer(lookMs, look);
    };
    let timer = clock.timer(lookMs, look);
    promise.then(
      (value) => {
        timer.cancel();
        resolve({ value });
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
