/** Work that nobody waits for. */
import type { Log } from "./log.ts";

/** Logs what `work` throws as a failure of `what`; without this a rejection ends the thread. */
export function inBackground(log: Pick<Log, "error">, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => log.error(`${what} failed`, { error }));
}

/**
 * From now on a rejection that nobody awaits is logged in this thread, and does not end it: what was asked for has failed, and
 * nothing says that the rest has. An exception that nobody catches ends the thread as before.
 */
export function logRejections(log: Pick<Log, "error">): void {
  if (process.listenerCount("unhandledRejection") > 0) return; // A test's runner hears them, or another service of this process.
  process.on("unhandledRejection", (error) => log.error("nobody awaits what has failed", { error }));
}
