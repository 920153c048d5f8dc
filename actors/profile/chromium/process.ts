/** One Chromium process group: its start, its two debugging descriptors, its last words, its end. */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { groupWorkMs, signalGroup, startErrorText } from "../../kernel/process-group.ts";
import { StderrTail } from "./stderr-tail.ts";
import { type StartProcess, startProcess } from "./waiting.ts";

export interface ProcessEnd {
  /** Null when a signal ended it, or when it never began. */
  code: number | null;
  /** One phrase: `exit code 21`, `signal SIGKILL`, `spawn … ENOENT`. */
  how: string;
}

export interface BrowserProcess {
  /** Leader of a process group of its own; 0 when it never began. */
  pid: number;
  /** Descriptors 3 (ours to write) and 4 (ours to read). */
  pipe: { output: Writable; input: Readable } | null;
  ended: Promise<ProcessEnd>;
  /** Settles when stderr has been read to its end, which may be after its end. */
  drained: Promise<void>;
  /** What it said last on stderr, without the noise of a machine that has no desktop. */
  lastWords(): string;
  /** Processor time that the whole group has had; null where that is not known. */
  workMs(): number | null;
  /** To the whole group; false when nobody is left in it. */
  signal(signal: NodeJS.Signals | 0): boolean;
}

/** Starts the browser. Never throws: a program that cannot be started has `ended` at once. */
export function spawnBrowser(input: {
  chromiumPath: string;
  switches: string[];
  env: NodeJS.ProcessEnv;
  /** Another way to start it: in a process that was forked ahead. */
  start?: StartProcess;
  /** Of all its processes; 0 unless given. */
  nice?: number;
}): BrowserProcess {
  const { chromiumPath, switches, env, start = startProcess, nice = 0 } = input;
  const child = start(chromiumPath, switches, env, nice);
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
        ? { output, input: read as Readable } // A stdio pipe is a duplex socket; the typings call it either.
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
