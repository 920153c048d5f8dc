/** CPU and memory of process trees, read from /proc. */
import { open, readdir } from "node:fs/promises";

export interface TreeLoad {
  processes: number;
  /** Of one core, since the previous reading; null at the first. */
  cpuPercent: number | null;
  /** Processor time of those that run. */
  cpuSecs: number;
  /** Anonymous memory, which the end of the process frees. */
  memoryBytes: number;
}

/** USER_HZ, the kernel's unit of CPU time: 100 on every Linux that Node runs on. */
const ticksPerSec = 100;

interface Process {
  pid: number;
  parent: number;
  group: number;
  ticks: number;
}

/** Loads by leader: its process group and all descendants. Null on systems without /proc. */
export type LoadReader = (leaders: readonly number[]) => Promise<Map<number, TreeLoad> | null>;

export function createLoadReader(proc = "/proc"): LoadReader {
  let before = new Map<number, { ticks: number; at: number }>();
  return async (leaders) => {
    const names = await readdir(proc).catch(() => null);
    if (names === null || process.platform !== "linux") return null;
    const read = await Promise.all(
      names.filter((name) => /^\d+$/.test(name)).map((name) => processOf(proc, name)),
    );
    const all = read.filter((found) => found !== null);
    const at = performance.now();
    const loads = new Map<number, TreeLoad>();
    const now: typeof before = new Map();
    for (const [leader, tree] of treesOf(all, leaders)) {
      const memory = await Promise.all(tree.map(({ pid }) => ownMemory(proc, pid)));
      const ticks = tree.reduce((sum, process) => sum + process.ticks, 0);
      const last = before.get(leader);
      now.set(leader, { ticks, at });
      loads.set(leader, {
        processes: tree.length,
        cpuSecs: ticks / ticksPerSec,
        cpuPercent: last === undefined ? null : percent(ticks - last.ticks, at - last.at),
        memoryBytes: memory.reduce((sum, bytes) => sum + bytes, 0),
      });
    }
    before = now;
    return loads;
  };
}

/** The ticks of an ended process are missing from the sum, so it can shrink. */
function percent(ticks: number, ms: number): number {
  return ms <= 0 ? 0 : Math.max(0, (ticks / ticksPerSec / (ms / 1_000)) * 100);
}

function treesOf(all: readonly Process[], leaders: readonly number[]): Map<number, Process[]> {
  const byPid = new Map(all.map((process) => [process.pid, process]));
  const trees = new Map<number, Process[]>(leaders.map((leader) => [leader, []]));
  for (const process of all) {
    let leader = trees.get(process.group);
    // A sandbox helper may have its own process group; its ancestors lead to the leader.
    for (let up = process.parent; leader === undefined && up > 1; up = byPid.get(up)?.parent ?? 0)
      leader = trees.get(up);
    leader?.push(process);
  }
  return trees;
}

async function processOf(proc: string, name: string): Promise<Process | null> {
  const stat = await textOf(`${proc}/${name}/stat`); // The process may have ended.
  if (stat === null) return null;
  // The name in parentheses may contain spaces and parentheses.
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [, parent, group] = words;
  return {
    pid: Number(name),
    parent: Number(parent),
    group: Number(group),
    ticks: Number(words[11]) + Number(words[12]),
  };
}

/** Enough for a `stat`, and for a `status` up to `RssAnon`. */
const bytesMax = 2_048;

/** Null when the process has ended. `readFile` would allocate 64 KiB for each of these files, because their size is 0. */
async function textOf(path: string): Promise<string | null> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytesMax), 0, bytesMax, 0);
      return buffer.toString("latin1", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

async function ownMemory(proc: string, pid: number): Promise<number> {
  const status = (await textOf(`${proc}/${pid}/status`)) ?? "";
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
