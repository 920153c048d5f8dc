/** One Chromium process group: its start, debugging descriptors, last output and end. */
import type { ChildProcess, StdioOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { groupWorkMs, signalGroup, spawnLeader, startErrorText } from "../../kernel/process-group.ts";
import { StderrTail } from "./stderr-tail.ts";

export interface ProcessEnd {
  /** Null after a signal, or when it never started. */
  code: number | null;
  /** One phrase: `exit code 21`, `signal SIGKILL`, `spawn … ENOENT`. */
  how: string;
}

export interface BrowserProcess {
  /** The leader of its process group; 0 when it never started. */
  pid: number;
  pipe: { output: Writable; input: Readable } | null;
  ended: Promise<ProcessEnd>;
  /** Resolves when stderr has been read completely, possibly after `ended`. */
  drained: Promise<void>;
  /** The last lines of stderr, without the usual noise of a machine without a desktop. */
  lastWords(): string;
  workMs(): number | null;
  /** Signals the whole group; false when it is empty. */
  signal(signal: NodeJS.Signals | 0): boolean;
}

/** Starts the browser. Never throws: if it cannot start, `ended` resolves at once. */
export function spawnBrowser(input: {
  chromiumPath: string;
  switches: string[];
  env: NodeJS.ProcessEnv;
  nice?: number;
}): BrowserProcess {
  const { chromiumPath, switches, env, nice } = input;
  const stdio: StdioOptions = ["ignore", "ignore", "pipe", "pipe", "pipe"];
  const child = spawnLeader(chromiumPath, switches, { env, stdio }, nice);
  const tail = new StderrTail();
  const ended = endOf(child);
  const pid = child.pid ?? 0;
  const output = child.stdio[3];
  const read = child.stdio[4];
  child.stderr?.on("data", (chunk: Buffer) => tail.add(chunk));
  const drained = new Promise<void>((resolve) => {
    child.stderr?.once("end", resolve);
  });
  return {
    pid,
    pipe:
      pid !== 0 && output && read && "write" in output && "on" in read
        ? { output, input: read as Readable } // A stdio pipe is a duplex socket, but is typed as either.
        : null,
    ended,
    drained,
    lastWords: () => tail.lastWords(),
    workMs: () => groupWorkMs(pid),
    signal: (signal) => signalGroup(child, signal),
  };
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, how: startErrorText(error) }));
    child.once("exit", (code, signal) =>
      resolve({ code, how: signal === null ? `exit code ${code}` : `signal ${signal}` }),
    );
  });
}
