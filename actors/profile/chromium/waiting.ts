/**
 * A process forked ahead of its launch. A fork copies the page tables of the whole service: the more it holds, the longer (6 to
 * 9 ms with an empty library, 12 to 16 with a full one), and nothing of a launch can begin before. So a spare thread forks in a
 * quiet moment a shell that waits for one line, and at the launch that line makes it the browser: same process, same descriptors.
 */
import type { ChildProcess } from "node:child_process";
import { spawnLeader } from "../../kernel/process-group.ts";
import { stepProcessBack } from "../../kernel/process-priority.ts";

/** Starts a program in a process group of its own, with descriptors 2, 3 and 4 as pipes. Never throws: `error` is an event. */
export type StartProcess = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  /** Of all its processes; 0 unless given. */
  nice?: number,
) => ChildProcess;

/** The processes that one thread starts. */
export interface Forks {
  /** Has one ready for the next start, and loaded what that needs. */
  ahead(): void;
  start: StartProcess;
  /** Ends the one that was not needed; answers when it is gone. */
  end(): Promise<void>;
}

/** A shell that has not become anything yet. */
interface WaitingProcess {
  /** The same process as the program; null when it has ended meanwhile. */
  become: (...to: Parameters<StartProcess>) => ChildProcess | null;
  end(): Promise<void>;
}

export const startProcess: StartProcess = (program, args, env, nice) =>
  spawnLeader(program, args, { env, stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] }, nice);

export function createForks(): Forks {
  let waiting: WaitingProcess | null = null;
  const take = () => {
    const taken = waiting;
    waiting = null;
    return taken;
  };
  return {
    ahead() {
      for (const name of ofLaunch) process.getBuiltinModule(name);
      waiting ??= forkWaiting();
    },
    start: (...to) => take()?.become(...to) ?? startProcess(...to),
    end: async () => take()?.end(),
  };
}

/** Where a fork is what costs: elsewhere Node starts processes by other means. */
const shell = process.platform === "linux" ? "/bin/sh" : null;

/** Modules of Node that a launch is the first to use (a built thread loads each with its first use). */
const ofLaunch = ["node:fs/promises", "node:os", "node:v8", "node:cluster"];

/** Names that a shell can hand on. */
const isName = /^[A-Za-z_]\w*$/;

/**
 * Forks one with the environment of this service and the descriptors of a browser. Null where it gains nothing, or cannot be.
 * When the service dies the shell reads the end of its input, and ends.
 */
function forkWaiting(): WaitingProcess | null {
  if (shell === null) return null;
  const env = process.env;
  const child = spawnLeader(shell, [], { env, stdio: ["pipe", "ignore", "pipe", "pipe", "pipe"] });
  const gone = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const { stdin } = child;
  if (child.pid === undefined || stdin === null) return null;
  stdin.on("error", () => {}); // It has ended: its exit says so.
  return {
    become(program, args, wanted, nice = 0) {
      if (child.exitCode !== null || child.signalCode !== null) return null;
      if (nice > 0 && child.pid !== undefined) stepProcessBack(child.pid);
      stdin.end(`${changesOf(env, wanted)}exec ${[program, ...args].map(quoted).join(" ")} </dev/null\n`);
      return child;
    },
    async end() {
      stdin.end();
      await gone;
    },
  };
}

/** The commands that make `wanted` of `env`. */
function changesOf(env: NodeJS.ProcessEnv, wanted: NodeJS.ProcessEnv): string {
  const set = Object.entries(wanted).filter(([name, value]) => isName.test(name) && value !== env[name]);
  const unset = Object.keys(env).filter((name) => isName.test(name) && wanted[name] === undefined);
  return [
    ...set.flatMap(([name, value]) => (value === undefined ? [] : `export ${name}=${quoted(value)};`)),
    ...unset.map((name) => `unset ${name};`),
  ].join("");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
