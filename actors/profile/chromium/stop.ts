/** The stop ladder: ask, then tell, then kill, and look that nobody of the process group is left. */
import { readdir, readFile } from "node:fs/promises";
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { within } from "../within.ts";
import type { BrowserProcess } from "./process.ts";

export interface Graces {
  closeMs: number;
  termMs: number;
  killMs: number;
}

export const usualGraces: Graces = {
  closeMs: limits.browserCloseGraceMs,
  termMs: limits.browserTermGraceMs,
  killMs: limits.browserKillGraceMs,
};

/** How often a group is looked at while it dies: its helpers are not our children and tell us nothing. */
const lookMs = 5;

/**
 * Ends the browser. `ask` sends `Browser.close`, the only rung that flushes cookies; null skips it. Answers when the whole
 * group is gone; throws `internal` when something in it cannot be killed.
 */
export async function stopBrowser(
  browser: BrowserProcess,
  ask: (() => Promise<unknown>) | null,
  graces: Graces = usualGraces,
): Promise<void> {
  if (browser.pid === 0) return;
  if (ask !== null) {
    ask().catch(() => {}); // It may die before it answers; whether it did is seen in its end.
    const left = await within(browser.ended, graces.closeMs);
    // Helpers follow their leader by themselves within a moment; the signals are for what does not.
    if (left !== null && (await groupGone(browser, graces.termMs))) return;
  }
  for (const [signal, ms] of [
    ["SIGTERM", graces.termMs],
    ["SIGKILL", graces.killMs],
  ] as const) {
    browser.signal(signal);
    if (await groupGone(browser, ms)) return;
  }
  throw new Fault("internal", `the browser's process group ${browser.pid} did not end, not even by SIGKILL`);
}

/** Kills the group at once and waits until it is gone: for a browser that has crashed or whose channel is dead. */
export async function killBrowser(browser: BrowserProcess, graces: Graces = usualGraces): Promise<void> {
  browser.signal("SIGKILL");
  await within(browser.ended, graces.killMs);
  if (!(await groupGone(browser, graces.killMs))) {
    throw new Fault("internal", `the browser's process group ${browser.pid} did not end by SIGKILL`);
  }
}

async function groupGone(browser: BrowserProcess, ms: number): Promise<boolean> {
  const until = Date.now() + ms;
  for (let round = 0; browser.signal(0); round++) {
    // Nobody may collect orphans here (a container's first process often does not): the dead still count in the group.
    if (round % 10 === 9 && (await onlyZombies(browser.pid))) return true;
    if (Date.now() >= until) return onlyZombies(browser.pid);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return true;
}

/** True when every process of the group is a zombie. Only where there is a /proc. */
async function onlyZombies(group: number): Promise<boolean> {
  const entries = await readdir("/proc").catch(() => null);
  if (entries === null) return false;
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  // Its helpers were started after it, one after the other: who is left is found among the first.
  const later = (pid: number) => (pid > group ? 0 : 1);
  for (const entry of pids.sort((a, b) => later(a) - later(b) || a - b)) {
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    // pid (name) state parent group …; the name may hold spaces and brackets.
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (pgrp === String(group) && state !== "Z" && state !== "X") return false;
  }
  return true;
}
