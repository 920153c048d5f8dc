/** Polls a process tree for the most memory that it takes at a time, and for all its processor time. */
import { processTrees, sharedMemory, ticksPerSec } from "../../actors/kernel/process-load.ts";

export interface Usage {
  /** The highest sum, each shared page by its share. */
  peakBytes: number;
  /** A process that ends between two polls loses at most the time since the last. */
  processorMs: number;
}

export interface UsageWatch {
  /** Stops polling. */
  stop(): Promise<Usage>;
}

const everyMs = 400;

export function watchUsage(pid: number): UsageWatch {
  let peakBytes = 0;
  const ticks = new Map<number, number>();
  let watching = true;
  const watch = (async () => {
    while (watching) {
      const tree = (await processTrees([pid]))?.get(pid) ?? [];
      for (const one of tree) ticks.set(one.pid, one.ticks);
      peakBytes = Math.max(peakBytes, await sharedMemory(tree));
      await new Promise<void>((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async stop() {
      watching = false;
      await watch;
      const all = [...ticks.values()].reduce((total, one) => total + one, 0);
      return { peakBytes, processorMs: (all / ticksPerSec) * 1_000 };
    },
  };
}
