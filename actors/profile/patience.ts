/** Waiting for a browser: as long as it works, however slowly, and not when it does nothing. */
import { type Clock, systemClock } from "../kernel/clock.ts";

export interface Patience {
  /** It is waited for so long in any case. */
  usualMs: number;
  /** From then on only while it has had some of the processor within such a time. */
  stillMs: number;
  /** And never longer than this, nor when it has had so much of the processor. */
  longestMs: number;
  workMaxMs: number;
}

/** Why the wait has ended without a value, as in `no answer within 45 s, and …`. */
export interface Late {
  late: string;
}

/** Once a second; a thread that is slow itself looks seldomer, and so waits longer. */
const lookMs = 1_000;
/** What a hung browser's helpers use in all stays below this. */
const someWorkMs = 50;
/** A launch that takes longer, and has had less of a core than this share, is slow because others have the cores. */
const slowMs = 5_000;
const slowShare = 0.5;

/**
 * The value of `promise`, boxed, or why it is not waited for any more. Rejects as the promise does. `workMs` tells the processor time
 * that the browser has had, null where that is not known: then it is waited for `usualMs`. `onSlow` is called once, when it is slow
 * because the machine is busy.
 */
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
    if (work >= workMaxMs) return `no answer within ${secs} s, in ${Math.round(work / 1_000)} s of a core`;
    const before = looks.at(-1 - Math.ceil(stillMs / lookMs)) ?? 0;
    const isStill = work - before < someWorkMs;
    if (waitedMs >= usualMs && isStill)
      return `no answer within ${secs} s, and nothing done for ${Math.round(stillMs / 1_000)} s: it hangs`;
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
