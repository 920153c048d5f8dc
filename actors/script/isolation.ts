/**
 * Finds out how far a script's process can be shut in on this machine.
 *
 * Node's permission model and the lock of `lock.ts` are always there. On Linux, util-linux adds an empty network
 * namespace with its own process ids, a signal at the owner's death, and a limit on memory.
 */
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { limits } from "../../protocol/limits.ts";

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
  const [diesWithOwner, memoryLimit, namespaces] = await Promise.all([
    usable(wrappers.diesWithOwner),
    usable(wrappers.memoryLimit),
    usable(wrappers.namespaces),
  ]);
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

/** The wrapper with its command's absolute path (the runner's environment has no PATH), or null when it does not work. */
async function usable([name = "", ...args]: string[]): Promise<string[] | null> {
  if (process.platform !== "linux") return null;
  for (const directory of ["/usr/bin", "/bin", "/usr/local/bin"]) {
    const command = `${directory}/${name}`;
    const there = await access(command).then(
      () => true,
      () => false,
    );
    if (!there) continue;
    const works = await new Promise<boolean>((resolve) => {
      execFile(command, [...args, "/bin/true"], (error) => resolve(error === null));
    });
    return works ? [command, ...args] : null;
  }
  return null;
}
