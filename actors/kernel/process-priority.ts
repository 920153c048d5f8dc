/** The scheduling priority of child processes: background work gets a lower one than the service. */
import { readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

const niceMax = 19;

/**
 * Nice value of computing threads, scripts, and windowless browsers that runs open. A browser that a call opens keeps the service's
 * priority, because a caller waits for it.
 */
export function steppedBackNice(): number {
  return Math.min(niceMax, getPriority(process.pid) + 5);
}

/** An ordinary user may write ten autogroup values per second, over all processes. */
const againMs = 150;
const triesMax = 8;

/** Lowers the priority of a new process and its children. Never throws; without permission the priority stays. */
export function stepProcessBack(pid: number): void {
  try {
    setPriority(pid, steppedBackNice());
  } catch {
    return; // It has ended.
  }
  if (process.platform === "linux") stepGroupBack(pid, 1);
}

/** Lowers a session's share of the cores (autogroup). A process in our session is skipped: the write would lower the service too. */
function stepGroupBack(pid: number, tries: number): void {
  try {
    if (sessionOf(pid) === sessionOf(process.pid)) return;
    writeFileSync(`/proc/${pid}/autogroup`, String(steppedBackNice()));
  } catch (error) {
    const busy = error instanceof Error && "code" in error && error.code === "EAGAIN";
    if (busy && tries < triesMax) setTimeout(() => stepGroupBack(pid, tries + 1), againMs * tries).unref();
  }
}

function sessionOf(pid: number): string | undefined {
  return readFileSync(`/proc/${pid}/autogroup`, "latin1").split(" ")[0];
}
