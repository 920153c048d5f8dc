/**
 * Finds out how far a script's process can be shut in on this machine.
 *
 * Node's permission model and the lock of `lock.ts` are always there. On Linux, util-linux adds an empty network
 * namespace with its own process ids, a signal at the owner's death, and a limit on memory.
 */
import { execFile } from "node:child_process";
import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../protocol/limits.ts";
import { parsedObject } from "./messages.ts";

/** What holds a script back here, for `troupe doctor` and for whoever starts a runner. */
export interface Isolation {
  /** `namespaces`: no network and no foreign process is there at all. `lock`: both are refused inside the process only. */
  level: "namespaces" | "lock";
  /** The runner is killed by the kernel when its owner dies, whatever it is doing. */
  diesWithOwner: boolean;
  /** The kernel refuses memory beyond a limit at once. */
  memoryLimit: boolean;
  /** Command and arguments that the runner's own command line is appended to; may be empty. */
  prefix: string[];
  /** One line for people. */
  summary: string;
}

const wrappers = {
  diesWithOwner: ["setpriv", "--pdeathsig", "KILL", "--"],
  memoryLimit: ["prlimit", `--data=${limits.scriptDataBytesMax}`, "--"],
  namespaces: ["unshare", "-rnpi", "--fork", "--kill-child", "--"],
};

/** Tries each wrapper by running a command that does nothing. Takes some 10 ms; the answer does not change. */
export async function probeIsolation(): Promise<Isolation> {
  return isolationBy(await tryEach(async (name) => ((await works(name)) ? commandOf(name) : null)));
}

/**
 * As probed before by another thread of this service, which left word in `dir`: the commands are three processes more for each
 * browser. Only the full measure is kept, so that a wrapper which failed once is tried again.
 */
export async function isolationHere(dir: string): Promise<Isolation> {
  const note = join(dir, "isolation.json");
  const text = await readFile(note, "utf8").catch(() => "");
  if (parsedObject(text)?.all === true) return isolationBy(await tryEach(commandOf));
  const probed = await probeIsolation();
  if (probed.diesWithOwner && probed.memoryLimit && probed.level === "namespaces") {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const draft = `${note}.${Math.random().toString(36).slice(2)}`;
    await writeFile(draft, JSON.stringify({ all: true }));
    await rename(draft, note);
  }
  return probed;
}

type WrapperName = keyof typeof wrappers;

/** The wrappers that work, each with its command's absolute path. */
type Working = Record<WrapperName, string[] | null>;

async function tryEach(attempt: (name: WrapperName) => Promise<string[] | null>): Promise<Working> {
  const [diesWithOwner, memoryLimit, namespaces] = await Promise.all([
    attempt("diesWithOwner"),
    attempt("memoryLimit"),
    attempt("namespaces"),
  ]);
  return { diesWithOwner, memoryLimit, namespaces };
}

function isolationBy({ diesWithOwner, memoryLimit, namespaces }: Working): Isolation {
  const network =
    namespaces === null
      ? "sockets and signals refused inside the process only (no user namespaces here)"
      : "empty network namespace, own process ids";
  return {
    level: namespaces === null ? "lock" : "namespaces",
    diesWithOwner: diesWithOwner !== null,
    memoryLimit: memoryLimit !== null,
    prefix: [...(diesWithOwner ?? []), ...(memoryLimit ?? []), ...(namespaces ?? [])],
    summary: `Node's permission model; ${network}; ${memoryLimit === null ? "memory polled" : "memory limited by the kernel"}`,
  };
}

/** The wrapper with its command's absolute path (the runner's environment has no PATH); null where it is not installed. */
async function commandOf(name: WrapperName): Promise<string[] | null> {
  if (process.platform !== "linux") return null;
  const [program = "", ...args] = wrappers[name];
  for (const directory of ["/usr/bin", "/bin", "/usr/local/bin"]) {
    const command = `${directory}/${program}`;
    const there = await access(command).then(
      () => true,
      () => false,
    );
    if (there) return [command, ...args];
  }
  return null;
}

async function works(name: WrapperName): Promise<boolean> {
  const [command, ...args] = (await commandOf(name)) ?? [];
  if (command === undefined) return false;
  return new Promise((resolve) => {
    execFile(command, [...args, "/bin/true"], (error) => resolve(error === null));
  });
}
