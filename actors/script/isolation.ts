/** Finds out how far a script's process can be isolated here, besides Node's permission model and `lockdown.ts`. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "../../protocol/limits.ts";
import type { IsolationLevel } from "../../protocol/scalars.ts";
import { replaceFile } from "../kernel/replace-file.ts";
import { parsedObject } from "./messages.ts";
import {
  bubblewrapArguments,
  perlArguments,
  type Runtime,
  runtimeOf,
  seatbeltProfile,
  type View,
} from "./visible-files.ts";

export interface Isolation {
  level: IsolationLevel;
  /** What the system does not isolate, and the remedy; null when it isolates everything. */
  missing: string | null;
  memoryLimit: boolean;
  /** Command and arguments to put before the runner's command line; may be empty. */
  prefix(view: View): string[];
  summary: string;
}

const walls = ["bubblewrap", "unshare", "seatbelt", "namespaces"] as const;
export type Wall = (typeof walls)[number];

interface Found {
  wall: Wall | null;
  limiter: string[] | null;
  runtime: Runtime;
}

const summaries: Record<Wall | "none", string> = {
  bubblewrap: "bubblewrap: no network, no other processes, only its own files",
  unshare: "unshare: no network, no other processes, only its own files",
  seatbelt: "sandbox-exec: no network, no other processes, only its own files",
  namespaces: "empty network namespace, own process ids; files blocked only inside the process",
  none: "sockets, signals and files blocked only inside the process",
};

const remedy =
  process.platform === "linux"
    ? "install bubblewrap (bwrap), and allow unprivileged user namespaces where the system forbids them"
    : "Troupe cannot isolate them on this system";

const missing: Record<IsolationLevel, string | null> = {
  sealed: null,
  namespaces: `the system does not isolate scripts from files; ${remedy}`,
  lock: `the system does not isolate scripts from files, network and other processes; ${remedy}`,
};

/** Tries each candidate by running `node --version` in it. The answer stays the same while the service runs. */
export async function probeIsolation(candidates: readonly Wall[] = walls): Promise<Isolation> {
  return isolationBy(await probe(await traceLibraries(), candidates));
}

/** `probeIsolation`, or its result from a file in `dir`. The file is written for full isolation only, so that a failed probe is repeated. */
export async function isolationHere(dir: string): Promise<Isolation> {
  const note = join(dir, "isolation.json");
  const kept = parsedObject(await readFile(note, "utf8").catch(() => ""));
  const wall = walls.find((name) => name === kept?.wall);
  const limiter = limiterCommand();
  if (wall !== undefined && limiter !== null && typeof kept?.traced === "string")
    return isolationBy({ wall, limiter, runtime: runtimeOf(process.execPath, kept.traced) });
  const traced = await traceLibraries();
  const found = await probe(traced, walls);
  const probed = isolationBy(found);
  if (probed.level === "sealed" && probed.memoryLimit) {
    const write = (draft: string) => writeFile(draft, JSON.stringify({ wall: found.wall, traced }));
    await replaceFile(note, write).catch(() => {}); // Without the file, the next thread tries again.
  }
  return probed;
}

function isolationBy({ wall, limiter, runtime }: Found): Isolation {
  const level = wall === null ? "lock" : wall === "namespaces" ? "namespaces" : "sealed";
  return {
    level,
    missing: missing[level],
    memoryLimit: limiter !== null,
    prefix: (view) => [...(limiter ?? []), ...(wall === null ? [] : (commandOf(wall, runtime, view) ?? []))],
    summary: `Node's permission model; ${summaries[wall ?? "none"]}; ${limiter === null ? "memory polled" : "memory limited by the kernel"}`,
  };
}

async function probe(traced: string, candidates: readonly Wall[]): Promise<Found> {
  const runtime = runtimeOf(process.execPath, traced);
  const limiter = limiterCommand();
  const root = await realpath(await mkdtemp(join(tmpdir(), "troupe-walls-")));
  try {
    for (const wall of candidates) {
      const command = commandOf(wall, runtime, {
        readable: [],
        writable: [root],
        root: join(root, "view"),
        workDir: root,
      });
      if (command !== null && (await works([...(limiter ?? []), ...command])))
        return { wall, limiter, runtime };
    }
    return { wall: null, limiter, runtime };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function commandOf(wall: Wall, runtime: Runtime, view: View): string[] | null {
  const [bwrap, unshare, setpriv] = ["bwrap", "unshare", "setpriv"].map(programPath);
  // Bubblewrap ends with its owner. `setpriv` and `--kill-child` make `unshare` do the same.
  const spaces =
    unshare && setpriv
      ? [setpriv, "--pdeathsig", "KILL", "--", unshare, "-rnpi", "--fork", "--kill-child"]
      : null;
  switch (wall) {
    case "bubblewrap":
      return bwrap ? [bwrap, ...bubblewrapArguments(runtime, view)] : null;
    case "unshare": {
      const perl = programPath("perl");
      const args = perlArguments(runtime, view);
      return spaces && perl && args ? [...spaces, "-m", "--", perl, ...args] : null;
    }
    case "seatbelt": {
      const profile = seatbeltProfile(process.execPath, view);
      return process.platform === "darwin" ? ["/usr/bin/sandbox-exec", "-p", profile] : null;
    }
    case "namespaces":
      return spaces ? [...spaces, "--"] : null;
  }
}

function limiterCommand(): string[] | null {
  const prlimit = programPath("prlimit");
  const { scriptDataBytesMax, scratchBytesMax } = limits;
  return prlimit === null
    ? null
    : [prlimit, `--data=${scriptDataBytesMax}`, `--fsize=${scratchBytesMax}`, "--core=0", "--"];
}

/** The absolute path, since the runner's environment has no PATH. Null where it is not installed, and on other systems. */
function programPath(name: string): string | null {
  if (process.platform !== "linux") return null;
  const directories = ["/usr/bin", "/bin", "/usr/local/bin"];
  return directories.map((directory) => `${directory}/${name}`).find(existsSync) ?? null;
}

function traceLibraries(): Promise<string> {
  const env = { LD_TRACE_LOADED_OBJECTS: "1" };
  return new Promise((resolve) => {
    execFile(process.execPath, ["--version"], { env }, (_error, stdout) => resolve(stdout));
  });
}

function works([command = "", ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command, [...args, process.execPath, "--version"], { env: {} }, (error) =>
      resolve(error === null),
    );
  });
}
