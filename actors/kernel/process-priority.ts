/** The scheduling priority of processes that we start: what nobody waits in front of steps back behind what answers. */
import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * Nice value of the browsers that runs open without a window, and of scripts: beside a busy thread of the service at 0 such a
 * process gets a quarter of a core, alone all of it. Browsers that a call opens stay at 0: somebody waits for their page.
 */
export const steppedBackNice = 5;

/** An ordinary user may write ten of these a second, all processes together. */
const againMs = 150;
const triesMax = 8;

/**
 * Lowers the priority of a process that has just been started, and by that of all that it starts. Never throws: where it is
 * refused, the processes share the cores evenly.
 */
export function stepProcessBack(pid: number): void {
  try {
    setPriority(pid, steppedBackNice);
  } catch {
    return; // It is gone already.
  }
  if (process.platform === "linux") stepGroupBack(pid, 1);
}

/**
 * Linux shares the cores between sessions first, and only within one by the priorities of its processes (autogroup). A process
 * that has a session of its own would count as much as the whole service without this; in ours it would take us along.
 */
function stepGroupBack(pid: number, tries: number): void {
  try {
    if (sessionOf(pid) === sessionOf(process.pid)) return;
    writeFileSync(`/proc/${pid}/autogroup`, String(steppedBackNice));
  } catch (error) {
    const busy = error instanceof Error && "code" in error && error.code === "EAGAIN";
    if (busy && tries < triesMax) setTimeout(() => stepGroupBack(pid, tries + 1), againMs * tries).unref();
  }
}

/** The name of the group in which a process competes: `/autogroup-42`. */
function sessionOf(pid: number): string | undefined {
  return readFileSync(`/proc/${pid}/autogroup`, "latin1").split(" ")[0];
}
