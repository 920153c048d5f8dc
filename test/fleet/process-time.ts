/** Processor time of processes and of what they started. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const tickMs = 10;

function ownMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // Of its own, and of children that have ended and were waited for.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks * tickMs;
  } catch {
    return 0; // It has just ended.
  }
}

/** A child belongs to the thread that started it. */
function childrenOf(pid: number): number[] {
  try {
    const texts = readdirSync(`/proc/${pid}/task`).map((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"),
    );
    return [...texts.join(" ").matchAll(/\d+/g)].map(([text]) => Number(text));
  } catch {
    return [];
  }
}

/** Milliseconds so far of a process, its children that live, and those that ended. */
export function cpuMsBelow(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuMsBelow(child), ownMs(pid));
}
