/** Polls a process tree for the most memory that it takes at a time, and for all its processor time. */
import { readdir, readFile } from "node:fs/promises";

export interface Usage {
  /** The highest sum, in proportional set sizes, which count shared pages once. */
  peakBytes: number;
  /** A process that ends between two polls loses at most the time since the last. */
  processorMs: number;
}

export interface UsageWatch {
  /** Stops polling. */
  stop(): Promise<Usage>;
}

const everyMs = 400;
const tickMs = 10;

export function watchUsage(pid: number): UsageWatch {
  let peakBytes = 0;
  const processorMs = new Map<string, number>();
  let watching = true;
  const look = async () => {
    const family = await familyOf(pid);
    for (const { key, workMs } of family) processorMs.set(key, workMs);
    const sizes = await Promise.all(family.map((one) => proportionalBytes(one.pid)));
    peakBytes = Math.max(peakBytes, sum(sizes));
  };
  const watch = (async () => {
    while (watching) {
      await look();
      await new Promise<void>((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async stop() {
      watching = false;
      await watch;
      return { peakBytes, processorMs: sum([...processorMs.values()]) };
    },
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

interface Member {
  pid: number;
  parent: number;
  /** Its id and when it started: ids are used again. */
  key: string;
  workMs: number;
}

async function familyOf(root: number): Promise<Member[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = new Map((await Promise.all(pids.map(memberOf))).map((one) => [one.pid, one]));
  const descends = ({ pid, parent }: Member): boolean => {
    const above = all.get(parent);
    return pid === root || (parent > 1 && above !== undefined && descends(above));
  };
  return [...all.values()].filter(descends);
}

async function memberOf(pid: number): Promise<Member> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const at = (index: number) => Number(fields[index] ?? 0);
  return { pid, parent: at(1), key: `${pid} ${at(19)}`, workMs: (at(11) + at(12)) * tickMs };
}

async function proportionalBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
}
