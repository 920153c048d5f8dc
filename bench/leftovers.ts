/** What a service and its browsers hold at this moment, counted from outside: what cycles must not let grow. */
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

export interface Holdings {
  /** Processes of any kind whose command line names the data directory, the service itself not counted. */
  processes: number;
  /** Descriptors of the service that are open, by what they lead to: `socket`, `pipe`, `/a/file`. */
  descriptors: Record<string, number>;
  threads: number;
  /** Entries of the directory for temporary things. */
  temporaries: string[];
  /** Locks that a browser holds or has left, by their path in the data directory. */
  locks: string[];
}

/** Counts what the service of `pid` on `dataDir` holds. */
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

/** Paths from `dir` on. A browser that works makes and removes directories while they are walked: what is gone holds none. */
async function locksBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error; // One that cannot be read may hold some.
  });
  const found = entries.map(async (entry) => {
    if (!entry.isDirectory()) return /Singleton(Lock|Cookie|Socket)$/.test(entry.name) ? [entry.name] : [];
    return (await locksBelow(join(dir, entry.name))).map((path) => join(entry.name, path));
  });
  return (await Promise.all(found)).flat();
}

/** How many descriptors there are in all. */
export function descriptorCount({ descriptors }: Pick<Holdings, "descriptors">): number {
  return Object.values(descriptors).reduce((sum, count) => sum + count, 0);
}

/** Ends what names `dir` on its command line, until nothing does: the browsers of a peer that has not ended all of its own. */
export async function endThoseNaming(dir: string): Promise<void> {
  for (;;) {
    const pids = await processesNaming(dir, process.pid);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has gone meanwhile, with its browser.
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

/** What the open descriptors of `pid` lead to, as in Holdings. */
export async function descriptorsOf(pid: number): Promise<Holdings["descriptors"]> {
  const dir = `/proc/${pid}/fd`;
  const counts: Record<string, number> = {};
  for (const fd of await readdir(dir)) {
    const leadsTo = await readlink(join(dir, fd)).catch(() => null);
    if (leadsTo === null) continue; // Closed since.
    const kind = leadsTo.replace(/:\[\d+\]$/, "");
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Resident bytes of one process. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
