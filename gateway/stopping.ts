/** Stops the service in an order that loses nothing. Each step has a limit and runs even if the one before failed. */
import { withDeadline } from "../actors/kernel/deadline.ts";
import type { ThreadName } from "../actors/kernel/entries.ts";
import type { Log } from "../actors/kernel/log.ts";
import type { Supervisor } from "../actors/kernel/supervisor.ts";
import { limits } from "../protocol/limits.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";
import type { PoolApi } from "../protocol/messages/pool.ts";
import type { RunsApi } from "../protocol/messages/runs.ts";
import type { SchedulerApi } from "../protocol/messages/scheduler.ts";

export interface Stopped {
  /** A thread is stuck in a system call: the process cannot exit, only be killed. */
  stuck: boolean;
}

export interface Stop {
  /** Ends listeners, runs, browsers and storage. Rejects when storage was not closed. A later call joins the first. */
  stop(): Promise<Stopped>;
  hurry(): void;
  /** After a failed start: as `stop`, but runs that an earlier service left are kept for the next one. */
  abandon(): Promise<Stopped>;
}

export interface StopParts {
  log: Log;
  supervisor: Supervisor;
  /** Refuses new calls; resolves when open ones have ended or were cut. */
  closeListeners(): Promise<unknown>;
  closeRest(): Promise<unknown>;
}

/** Part of the stop's time that is reserved for closing the library. */
const libraryMs = 10_000;
/** The supervisor restarts a thread that died while it closed, so the step is tried again. */
const triesMax = 2;

export function createStop({ log, supervisor, closeListeners, closeRest }: StopParts): Stop {
  let until = Number.POSITIVE_INFINITY;
  let stuck = false;
  let stopping: Promise<Stopped> | null = null;
  let killing: Promise<void> | null = null;

  const step = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const ms = Math.max(0, until - libraryMs - performance.now());
      try {
        return void (await withDeadline(work(), ms, what));
      } catch (error) {
        log.error(`stopping: ${what} failed`, { error });
        if (performance.now() >= until - libraryMs) return;
      }
    }
  };
  const close = async (name: ThreadName) => {
    if (supervisor.has(name))
      await step(`closing ${name}`, () => supervisor.api<SchedulerApi | RunsApi | PoolApi>(name).close({}));
  };
  const end = async (name: ThreadName) => {
    if (!(await supervisor.end(name))) stuck = true;
  };
  const hurry = () => {
    if (stopping === null || !supervisor.has("pool")) return;
    killing ??= step("killing browsers", () => supervisor.api<PoolApi>("pool").kill({}));
  };
  const endRuns = async (library: LibraryApi) => {
    // Those in the fleet go on there.
    for (const { run, placed } of await library.resumeRuns({ driven: [] }))
      if (placed === undefined) await library.endRun({ runId: run.id, error: "the service was stopped" });
  };
  const halt = async (runsEnd: boolean): Promise<Stopped> => {
    until = performance.now() + limits.serviceStopMs;
    const late = setTimeout(hurry, limits.serviceKillMs);
    await Promise.all([
      step("closing the listeners", closeListeners),
      close("scheduler").then(() => (runsEnd ? close("runs") : end("runs"))),
    ]);
    await close("pool");
    clearTimeout(late);
    await killing;
    await step("closing what the listeners used", closeRest);
    await Promise.all((["operations", "runs", "scheduler", "pool"] as const).map(end));
    const library = supervisor.api<LibraryApi>("library");
    if (runsEnd) await step("ending runs", () => endRuns(library));
    await library.close({});
    await end("library");
    return { stuck };
  };
  const begin = (runsEnd: boolean) => {
    stopping ??= withDeadline(halt(runsEnd), limits.serviceStopMs, "the service's stop");
    return stopping;
  };
  return { stop: () => begin(true), hurry, abandon: () => begin(false) };
}
