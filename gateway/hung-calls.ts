/** Ends a call when the service hangs. A call may take as long as it needs while the service answers others. */
import { setTimeout as pause } from "node:timers/promises";
import { procFile } from "../actors/kernel/proc-file.ts";
import { Fault } from "../protocol/faults.ts";
import { send } from "./http-client.ts";

/** A service that does not answer for the sum of both counts as hung. */
export interface HangPatience {
  lookAfterMs: number;
  answerMs: number;
}

const usual: HangPatience = { lookAfterMs: 2_000, answerMs: 8_000 };

/** Where the service listens; `pid` null: it is another program's address. */
export interface Callee {
  url: URL;
  pid: number | null;
}

/** Settles as `work` does, or rejects with `internal` when the service hangs; `work`'s signal is aborted then. */
export async function unlessHung<T>(
  callee: Callee,
  work: (signal: AbortSignal) => Promise<T>,
  patience = usual,
): Promise<T> {
  const hung = new AbortController();
  const done = new AbortController();
  const working = work(hung.signal);
  working.catch(() => {}); // Awaited below, or aborted.
  try {
    return await Promise.race([working, failedWatch(callee, done.signal, patience)]);
  } catch (error) {
    hung.abort(error);
    throw error;
  } finally {
    done.abort();
  }
}

/** Rejects when the service hangs, and never resolves. */
async function failedWatch(callee: Callee, done: AbortSignal, patience: HangPatience): Promise<never> {
  for (;;) {
    const ended = await pause(patience.lookAfterMs, false, { signal: done, ref: false }).catch(() => true);
    if (ended) return new Promise(() => {});
    if (!(await answers(callee.url, patience.answerMs, done))) throw hungFault(callee);
  }
}

/** Any answer counts. So does a refused connection: then the call itself fails, and says why. */
async function answers(url: URL, timeoutMs: number, done: AbortSignal): Promise<boolean> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    // Needs the main thread only, and no credentials.
    const reply = await send(new URL("/", url), { method: "HEAD", signal: AbortSignal.any([late, done]) });
    reply.resume();
    return true;
  } catch {
    return !late.aborted;
  }
}

function hungFault({ url, pid }: Callee): Fault {
  if (pid === null) return new Fault("internal", `${url.origin} does not answer; check the service there`);
  if (isStopped(pid)) {
    const how = `continue it with: kill -CONT ${pid}`;
    return new Fault("internal", `the service, process ${pid}, is stopped and does not answer; ${how}`);
  }
  const how = `if it stays so, end it with: kill -KILL ${pid}, then start it again`;
  return new Fault("internal", `the service, process ${pid}, does not answer; ${how}`);
}

/** By SIGSTOP, Ctrl-Z or a debugger. False without /proc. */
function isStopped(pid: number): boolean {
  const stat = procFile(`/proc/${pid}/stat`) ?? "";
  return /^[Tt]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}
