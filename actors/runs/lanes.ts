/** Lanes: how many profiles of one run are driven at a time, and how far apart they start. */
import type { Clock } from "../kernel/clock.ts";

/** What a lane drives. */
export interface LaneWork {
  /** Settles when the next may start. */
  done: Promise<void>;
}

export interface LanesOptions {
  concurrency: number;
  staggerMs: number;
  clock: Clock;
  /** Aborts when nothing more is to be started; a lane that waits for its turn then waits no longer. */
  halt: AbortSignal;
}

/** Starts `items` in order, at most `concurrency` at once and `staggerMs` apart; settles when every started one is done. */
export async function runLanes<Item>(
  items: readonly Item[],
  options: LanesOptions,
  start: (item: Item) => LaneWork,
): Promise<void> {
  const { clock, staggerMs, halt } = options;
  let next = 0;
  /** Over when one may start; a timer, for the wall clock may be set back by hours. */
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

/** Resolves after `ms`, or when `halt` aborts. */
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
