/** Forks a shell before a launch, which then becomes the browser: forking copies the page tables of the service, which is slow. */
import type { ChildProcess } from "node:child_process";
import { spawnLeader } from "../../kernel/process-group.ts";
import { stepProcessBack } from "../../kernel/process-priority.ts";

/** Starts a program in its own process group, with descriptors 2, 3 and 4 as pipes. Never throws: `error` is an event. */
export type StartProcess = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  nice?: number,
) => ChildProcess;

export interface Forks {
  /** Prepares a process for the next start, and loads the modules for it. */
  ahead(): void;
  start: StartProcess;
  /** Ends an unused process; resolves when it has ended. */
  end(): Promise<void>;
}

interface WaitingProcess {
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

/** Only on Linux does Node fork. */
const shell = process.platform === "linux" ? "/bin/sh" : null;

/** Node modules that a launch uses first; a built thread loads each at its first use. */
const ofLaunch = ["node:fs/promises", "node:os", "node:v8", "node:cluster"];

const isName = /^[A-Za-z_]\w*$/;

/** Null where this has no advantage, or fails. The shell reads the end of its input when the service dies, and ends. */
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
  stdin.on("error", () => {}); // The exit of the process reports it.
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
