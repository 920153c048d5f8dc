/** The scheduling priority of child processes: background work runs behind the service's answers. */
import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Nice value of scripts and of windowless browsers that runs open. A browser that a call opens stays at 0: a caller waits for it. */
export const steppedBackNice = 5;

/** An ordinary user may write ten autogroup values per second, over all processes. */
const againMs = 150;
const triesMax = 8;

/** Lowers the priority of a new process and its children. Never throws; without permission the priority stays. */
export function stepProcessBack(pid: number): void {
  try {
    setPriority(pid, steppedBackNice);
  } catch {
    return; // It has ended.
  }
  if (process.platform === "linux") stepGroupBack(pid, 1);
}

/** Lowers a session's share of the cores (autogroup). A process in our session is skipped: the write would lower the service too. */
function stepGroupBack(pid: number, tries: number): void {
  try {
    if (sessionOf(pid) === sessionOf(process.pid)) return;
    writeFileSync(`/proc/${pid}/autogroup`, String(steppedBackNice));
  } catch (error) {
    const busy = error instanceof Error && "code" in error && error.code === "EAGAIN";
    if (busy && tries < triesMax) setTimeout(() => stepGroupBack(pid, tries + 1), againMs * tries).unref();
  }
}

function sessionOf(pid: number): string | undefined {
  return readFileSync(`/proc/${pid}/autogroup`, "latin1").split(" ")[0];
}
