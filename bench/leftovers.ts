/** Counts what a service and its browsers hold, from outside: cycles must not increase it. */
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

export interface Holdings {
  processes: number;
  /** Open descriptors by target: `socket`, `pipe`, `/a/file`. */
  descriptors: Record<string, number>;
  threads: number;
  temporaries: string[];
  locks: string[];
}

/** Ended threads and connections can still be counted for a moment. */
const restMs = 1_000;
const restMsMax = 10_000;

export async function holdingsOf(pid: number, dataDir: string): Promise<Holdings> {
  const temporaries = await readdir(join(dataDir, "tmp")).catch(() => []);
  return {
    processes: (await processesNaming(dataDir, pid)).length,
    descriptors: await descriptorsOf(pid),
    threads: (await readdir(`/proc/${pid}/task`)).length,
    temporaries,
    locks: await locksBelow(dataDir),
  };
}

/** Counts until nothing exceeds `before` or nothing changes. */
export async function holdingsAtRest(
  { pid, dataDir }: { pid: number; dataDir: string },
  before?: Holdings,
): Promise<Holdings> {
  const until = performance.now() + restMsMax;
  for (;;) {
    await new Promise<void>((resolve) => setTimeout(resolve, restMs));
    const held = await holdingsOf(pid, dataDir);
    const grown =
      before === undefined ||
      descriptorCount(held) > descriptorCount(before) ||
      held.threads > before.threads;
    if (performance.now() > until || (before !== undefined && !grown)) return held;
    if (before === undefined && held.processes === 0) return held;
  }
}

/** Paths relative to `dir`. Skips directories that a browser removes meanwhile. */
async function locksBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error; // An unreadable directory could contain locks.
  });
  const found = entries.map(async (entry) => {
    if (!entry.isDirectory()) return /Singleton(Lock|Cookie|Socket)$/.test(entry.name) ? [entry.name] : [];
    return (await locksBelow(join(dir, entry.name))).map((path) => join(entry.name, path));
  });
  return (await Promise.all(found)).flat();
}

export function descriptorCount({ descriptors }: Pick<Holdings, "descriptors">): number {
  return Object.values(descriptors).reduce((sum, count) => sum + count, 0);
}

/** Kills every process with `dir` in its command line, for peers that leave browsers behind. */
export async function endThoseNaming(dir: string): Promise<void> {
  for (;;) {
    const pids = await processesNaming(dir, process.pid);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended with its browser.
      }
    }
  }
}

async function processesNaming(text: string, except: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(
    pids.map((pid) => (pid === except ? "" : readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""))),
  );
  return pids.filter((_pid, at) => lines[at]?.includes(text));
}

export async function descriptorsOf(pid: number): Promise<Holdings["descriptors"]> {
  const dir = `/proc/${pid}/fd`;
  const counts: Record<string, number> = {};
  for (const fd of await readdir(dir)) {
    const leadsTo = await readlink(join(dir, fd)).catch(() => null);
    if (leadsTo === null) continue;
    const kind = leadsTo.replace(/:\[\d+\]$/, "");
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
