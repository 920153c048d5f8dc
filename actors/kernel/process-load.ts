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
export const ticksPerSec = 100;

/** Of a process tree. */
export interface Process {
  pid: number;
  parent: number;
  group: number;
  /** Processor time of its own. */
  ticks: number;
}

/** Each leader's process group and all descendants. Null on systems without /proc. */
export async function processTrees(
  leaders: readonly number[],
  proc = "/proc",
): Promise<Map<number, Process[]> | null> {
  const names = await readdir(proc).catch(() => null);
  if (names === null || process.platform !== "linux") return null;
  const read = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => processOf(proc, name)),
  );
  return treesOf(
    read.filter((found) => found !== null),
    leaders,
  );
}

/** What the processes weigh in memory, each shared page by its share (PSS). The kernel walks all their pages: milliseconds for each. */
export async function sharedMemory(tree: readonly Process[], proc = "/proc"): Promise<number> {
  const sizes = tree.map(async ({ pid }) => fieldBytes(await textOf(`${proc}/${pid}/smaps_rollup`), "Pss"));
  return sum(await Promise.all(sizes));
}

/** Loads by leader: its process group and all descendants. Null on systems without /proc. */
export type LoadReader = (leaders: readonly number[]) => Promise<Map<number, TreeLoad> | null>;

export function createLoadReader(proc = "/proc"): LoadReader {
  let before = new Map<number, { ticks: number; at: number }>();
  return async (leaders) => {
    const trees = await processTrees(leaders, proc);
    if (trees === null) return null;
    const at = performance.now();
    const loads = new Map<number, TreeLoad>();
    const now: typeof before = new Map();
    for (const [leader, tree] of trees) {
      const memory = tree.map(async ({ pid }) =>
        fieldBytes(await textOf(`${proc}/${pid}/status`), "RssAnon"),
      );
      const ticks = sum(tree.map((process) => process.ticks));
      const last = before.get(leader);
      now.set(leader, { ticks, at });
      loads.set(leader, {
        processes: tree.length,
        cpuSecs: ticks / ticksPerSec,
        cpuPercent: last === undefined ? null : percent(ticks - last.ticks, at - last.at),
        memoryBytes: sum(await Promise.all(memory)),
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

/** Enough for a `stat`, a `status` up to `RssAnon`, and the head of `smaps_rollup`. */
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

/** The field's bytes; 0 when the process has ended. */
const fieldBytes = (text: string | null, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text ?? "")?.[1] ?? 0) * 1024;

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
