/** Polls the memory of a process tree for its maximum. */
import { readdir, readFile } from "node:fs/promises";

export interface MemoryWatch {
  /** Stops polling. Returns the highest sum in bytes. */
  stop(): Promise<number>;
}

const everyMs = 400;

/** Uses proportional set sizes, which count shared pages once. */
export function watchMemory(pid: number): MemoryWatch {
  let peak = 0;
  let watching = true;
  const watch = (async () => {
    while (watching) {
      const pids = await familyOf(pid);
      const sizes = await Promise.all(pids.map(proportionalBytes));
      peak = Math.max(
        peak,
        sizes.reduce((sum, size) => sum + size, 0),
      );
      await new Promise<void>((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async stop() {
      watching = false;
      await watch;
      return peak;
    },
  };
}

async function familyOf(root: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map(await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const)));
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid);
    return pid === root || (parent !== undefined && parent > 1 && descends(parent));
  };
  return pids.filter(descends);
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0] ?? 0);
}

async function proportionalBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
}
