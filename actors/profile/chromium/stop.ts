/** The stop ladder: ask, then tell, then kill, and look that nobody of the process group is left. */
import { Fault } from "../../../protocol/faults.ts";
import { limits } from "../../../protocol/limits.ts";
import { groupGone } from "../../kernel/process-group.ts";
import { patiently } from "../patience.ts";
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
    const patience = { ...limits.browserClosePatience, usualMs: graces.closeMs };
    const left = await patiently(browser.ended, browser.workMs, patience);
    // Helpers follow their leader by themselves within a moment; the signals are for what does not.
    if ("value" in left && (await groupGone(browser, graces.termMs))) return;
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
