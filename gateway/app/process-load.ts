/** CPU and memory of process trees, read from /proc; where there is none, nothing is known. */
import { open, readdir } from "node:fs/promises";

export interface TreeLoad {
  processes: number;
  /** Of one core, since the reading before; null at the first. */
  cpuPercent: number | null;
  /** Memory of its own that its end would free. */
  memoryBytes: number;
}

/** What the kernel counts CPU time in: USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSec = 100;

interface Process {
  pid: number;
  parent: number;
  group: number;
  ticks: number;
}

/** Reads the trees of these leaders, by leader: their process groups, and what descends from them. Null: not known here. */
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
        cpuPercent: last === undefined ? null : percent(ticks - last.ticks, at - last.at),
        memoryBytes: memory.reduce((sum, bytes) => sum + bytes, 0),
      });
    }
    before = now;
    return loads;
  };
}

/** A process that has ended takes its ticks along: less than nothing is nothing. */
function percent(ticks: number, ms: number): number {
  return ms <= 0 ? 0 : Math.max(0, (ticks / ticksPerSec / (ms / 1_000)) * 100);
}

function treesOf(all: readonly Process[], leaders: readonly number[]): Map<number, Process[]> {
  const byPid = new Map(all.map((process) => [process.pid, process]));
  const trees = new Map<number, Process[]>(leaders.map((leader) => [leader, []]));
  for (const process of all) {
    let leader = trees.get(process.group);
    // A sandbox may put a helper in a group of its own; it descends from the leader all the same.
    for (let up = process.parent; leader === undefined && up > 1; up = byPid.get(up)?.parent ?? 0)
      leader = trees.get(up);
    leader?.push(process);
  }
  return trees;
}

async function processOf(proc: string, name: string): Promise<Process | null> {
  const stat = await textOf(`${proc}/${name}/stat`); // It may have ended meanwhile.
  if (stat === null) return null;
  // The name in parentheses may hold anything; what follows it is words.
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [, parent, group] = words;
  return {
    pid: Number(name),
    parent: Number(parent),
    group: Number(group),
    ticks: Number(words[11]) + Number(words[12]),
  };
}

/** More than a `stat` has, and than comes before `RssAnon` in a `status`. */
const bytesMax = 2_048;

/**
 * The beginning of a file; null when its process has gone. `readFile` takes 64 KiB for each of these files, because they say that their
 * size is 0, and holds them until the heap is next collected.
 */
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
