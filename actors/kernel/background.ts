/** Background work: promises that no caller awaits. */
import type { Log } from "./log.ts";

/** Logs a failure of `work` as a failure of `what`. An unhandled rejection would end the thread. */
export function inBackground(log: Pick<Log, "error">, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => log.error(`${what} failed`, { error }));
}

/** Logs unhandled rejections of this thread instead of ending it: only one task has failed. Uncaught exceptions still end it. */
export function logRejections(log: Pick<Log, "error">): void {
  if (process.listenerCount("unhandledRejection") > 0) return; // A test runner, or another service of this process, handles them.
  process.on("unhandledRejection", (error) => log.error("unhandled rejection", { error }));
}
