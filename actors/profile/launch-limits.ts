/** Timeouts of a launch: for the file system, the browser, and undoing it. */
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { Clock } from "../kernel/clock.ts";
import { fewOpenFiles } from "../kernel/open-files.ts";
import type { BrowserProcess } from "./chromium/process.ts";
import { patiently } from "./patience.ts";
import { within } from "./within.ts";

function noBrowser(why: string): Fault {
  return new Fault("conflict", `engine failed to start: ${why}`, { code: "no-browser" });
}

/** Aborts a launch that has not ended after `limits.launchLongestMs`. */
export function abortLate(clock: Clock, abort: AbortController, opening: Promise<unknown>): void {
  const late = noBrowser(`not done within ${limits.launchLongestMs / 1_000} s`);
  const timer = clock.timer(limits.launchLongestMs, () => abort.abort(late));
  opening.then(timer.cancel, timer.cancel);
}

/** Waits for a file system step. Throws `conflict` that names it when the file system does not answer. */
export async function inTime<T>(what: string, step: Promise<T>): Promise<T> {
  const done = await within(step, limits.launchFilesMs);
  if (done !== null) return done.value;
  const secs = limits.launchFilesMs / 1_000;
  throw new Fault(
    "conflict",
    `engine failed to start: the file system did not answer within ${secs} s (${what})`,
  );
}

/** Time for the current step to end after an abort: it may have made something that must be undone. */
const giveUpMs = 1_000;

/** Settles as `step` does, or rejects with the signal's fault. */
export async function unlessAborted<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      const ended = within(
        step.then(
          () => {},
          () => {},
        ),
        giveUpMs,
      );
      ended.then(() => reject(signal.reason), reject);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  aborted.catch(() => {}); // The step may have ended first.
  const done = await Promise.race([step, aborted]);
  signal.throwIfAborted();
  return done;
}

/** Undoes a launch, newest step first. A step that hangs is abandoned; the thread ends anyway. */
export async function undoAll(steps: (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await within(step(), limits.launchUndoMs);
}

/** Settles as `ready` does, or rejects when the process ends, hangs, or is aborted. `onSlow` as for `patiently`. */
export async function started<T>(
  { signal, onSlow }: { signal: AbortSignal; onSlow?: () => void },
  process: BrowserProcess,
  ready: Promise<T>,
): Promise<T> {
  ready.catch(() => {}); // A browser that dies rejects it late, when it is no longer awaited.
  const died = process.ended.then(async () => {
    throw await startFault(process);
  });
  died.catch(() => {}); // After the launch, the actor watches for the end.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  const first = ready.catch(async (error: unknown) => {
    if ((await within(process.ended, 1_000)) !== null) throw await startFault(process);
    const why = withLimit(error instanceof Error ? error.message : String(error));
    throw new Fault("conflict", `engine failed to start: ${why}`);
  });
  const waiting = Promise.race([first, died, aborted]);
  const outcome = await patiently(waiting, process.workMs, limits.launchPatience, onSlow ? { onSlow } : {});
  if ("value" in outcome) return outcome.value;
  throw noBrowser(withLimit(`${outcome.late}: ${process.lastWords()}`));
}

/** Chromium's last lines do not name a limit of open files that is too low. */
export function withLimit(why: string): string {
  const few = fewOpenFiles();
  return few === null || why.includes("ulimit") ? why : `${why}; ${few}`;
}

/** The fault of a browser that has ended before it was ready. */
export async function startFault(process: BrowserProcess): Promise<Fault> {
  const { how, code } = await process.ended;
  await within(process.drained, 200); // A helper process may keep stderr open.
  const why = withLimit(`${how}: ${process.lastWords()}`);
  const wasKilled = code === null && process.pid !== 0;
  return wasKilled ? noBrowser(why) : new Fault("conflict", `engine failed to start: ${why}`);
}
