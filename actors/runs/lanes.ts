/** Lanes: how many profiles of a run are driven at a time, and the interval between their starts. */
import type { Clock } from "../kernel/clock.ts";

export interface LaneWork {
  done: Promise<void>;
}

export interface LanesOptions {
  concurrency: number;
  staggerMs: number;
  clock: Clock;
  halt: AbortSignal;
}

/** Starts `items` in order, at most `concurrency` at once and `staggerMs` apart. Settles when every started item is done. */
export async function runLanes<Item>(
  items: readonly Item[],
  options: LanesOptions,
  start: (item: Item) => LaneWork,
): Promise<void> {
  const { clock, staggerMs, halt } = options;
  let next = 0;
  /** Resolves when the next may start. Uses a timer, because the wall clock can be set back by hours. */
  let gap = Promise.resolve();

  const stagger = async () => {
    if (staggerMs === 0) return;
    const mine = gap;
    gap = mine.then(() => pause(clock, staggerMs, halt));
    await mine;
  };
  const lane = async () => {
    while (!halt.aborted) {
      const item = items[next];
      if (item === undefined) return;
      next += 1;
      await stagger();
      if (halt.aborted) return;
      await start(item).done;
    }
  };
  const width = Math.max(1, Math.min(options.concurrency, items.length));
  await Promise.all(Array.from({ length: width }, lane));
}

function pause(clock: Clock, ms: number, halt: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      timer.cancel();
      halt.removeEventListener("abort", over);
      resolve();
    };
    const timer = clock.timer(ms, over);
    halt.addEventListener("abort", over);
  });
}
