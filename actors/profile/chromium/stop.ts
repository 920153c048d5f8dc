/** Stops a browser by request, then by SIGTERM, then by SIGKILL, and checks that its process group has ended. */
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

const usualGraces: Graces = {
  closeMs: limits.browserCloseGraceMs,
  termMs: limits.browserTermGraceMs,
  killMs: limits.browserKillGraceMs,
};

/** `ask` sends `Browser.close`, the only step that flushes cookies. Resolves when the group has ended; throws `internal` otherwise. */
export async function stopBrowser(
  browser: BrowserProcess,
  ask: (() => Promise<unknown>) | null,
  graces: Graces = usualGraces,
): Promise<void> {
  if (browser.pid === 0) return;
  if (ask !== null) {
    ask().catch(() => {}); // It may end before it answers; the end is checked below.
    const patience = { ...limits.browserClosePatience, usualMs: graces.closeMs };
    const left = await patiently(browser.ended, browser.workMs, patience);
    if ("value" in left && (await groupGone(browser, graces.termMs))) return;
  }
  for (const [signal, ms] of [
    ["SIGTERM", graces.termMs],
    ["SIGKILL", graces.killMs],
  ] as const) {
    browser.signal(signal);
    if (await groupGone(browser, ms)) return;
  }
  throw new Fault("internal", `the browser's process group ${browser.pid} did not end after SIGKILL`);
}

/** Kills a browser that has crashed or whose channel is closed, and waits for its end. */
export async function killBrowser(browser: BrowserProcess, graces: Graces = usualGraces): Promise<void> {
  browser.signal("SIGKILL");
  await within(browser.ended, graces.killMs);
  if (!(await groupGone(browser, graces.killMs))) {
    throw new Fault("internal", `the browser's process group ${browser.pid} did not end after SIGKILL`);
  }
}
