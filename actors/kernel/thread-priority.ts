/** The scheduling priority of the calling thread: computing threads run behind answering ones. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { steppedBackNice } from "./process-priority.ts";

/** Lowers the priority of the calling thread. Only Linux gives priorities to single threads; elsewhere this does nothing. */
export function stepBack(): void {
  try {
    const id = Number(/\/task\/(\d+)$/.exec(readlinkSync("/proc/thread-self"))?.[1]);
    if (Number.isInteger(id)) setPriority(id, steppedBackNice());
  } catch {
    // No such link, or the sandbox forbids the change: keep the default priority.
  }
}
