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
  /** Asked before each start; true ends the lanes. */
  halted(): boolean;
}

/** Starts `items` in order, at most `concurrency` at once and `staggerMs` apart; settles when every started one is done. */
export async function runLanes<Item>(
  items: readonly Item[],
  options: LanesOptions,
  start: (item: Item) => LaneWork,
): Promise<void> {
  const { clock, staggerMs } = options;
  let next = 0;
  let earliest = clock.now();

  const stagger = async () => {
    if (staggerMs === 0) return;
    const at = Math.max(earliest, clock.now());
    earliest = at + staggerMs;
    if (at > clock.now()) await new Promise<void>((resolve) => void clock.timer(at - clock.now(), resolve));
  };
  const lane = async () => {
    while (!options.halted()) {
      const item = items[next];
      if (item === undefined) return;
      next += 1;
      await stagger();
      if (options.halted()) return;
      await start(item).done;
    }
  };
  const width = Math.max(1, Math.min(options.concurrency, items.length));
  await Promise.all(Array.from({ length: width }, lane));
}
