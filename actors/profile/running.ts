/** What belongs to a running profile besides its browser: verbs, script host, screencast, trace, mailbox and idle timer. */
import type { VerbApi } from "../../protocol/generated/verb-table.ts";
import { limits } from "../../protocol/limits.ts";
import type { TabCalls } from "../../protocol/messages/profile.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeferred, type Deferred } from "../kernel/deferred.ts";
import { Mailbox } from "../kernel/mailbox.ts";
import { type CdpTrace, createTrace } from "./cdp/trace.ts";
import { createIdleTimer, type IdleTimer } from "./idle-timer.ts";
import type { OpenProfile } from "./launch-by-proxy.ts";
import { createTabCalls } from "./page/tab-calls.ts";
import type { InTurn } from "./page/verb-turns.ts";
import { createPageVerbs } from "./page/verbs.ts";
import { createScreencast, type Screencast } from "./screencast.ts";
import type { ScriptHost } from "./script-host.ts";
import { within } from "./within.ts";

export interface Running {
  name: "running";
  browser: OpenProfile;
  scripts: ScriptHost;
  verbs: VerbApi;
  tabs: TabCalls;
  screencast: Screencast;
  trace: CdpTrace;
  mailbox: Mailbox;
  idle: IdleTimer;
  /** Settles when it is known why the browser ends. */
  over: Deferred<void>;
}

export interface RunningParts {
  browser: OpenProfile;
  scripts: ScriptHost;
  clock: Clock;
  title: string;
  uploadsDir: string;
  idleTimeoutSecs: number;
  onIdle(): void;
}

export function openRunning(parts: RunningParts): Running {
  const { browser, scripts, clock, title, uploadsDir, idleTimeoutSecs, onIdle } = parts;
  const mailbox = new Mailbox(`the page of ${title}`, limits.pageCallsMax);
  const inTurn: InTurn = (work) => mailbox.run(work);
  const verbs = createPageVerbs(browser.tabs, inTurn, uploadsDir, browser.bridge);
  return {
    name: "running",
    browser,
    scripts,
    verbs,
    tabs: createTabCalls(browser.tabs, inTurn, verbs),
    screencast: createScreencast(browser.tabs, clock),
    trace: createTrace(browser.connection, clock),
    mailbox,
    idle: createIdleTimer(clock, idleTimeoutSecs, onIdle),
    over: createDeferred<void>(),
  };
}

export interface BrowserEnd {
  status: "stopped" | "crashed";
  reason: string;
}

/** The exit of a killed browser is known a moment after the end of its channel. */
const exitCodeMs = 1_000;

/** Returns when the browser has ended by itself. A hung browser may only lose its channel. */
export async function browserEnd({ browser }: Running): Promise<BrowserEnd> {
  await Promise.race([browser.process.ended, browser.connection.gone]);
  const end = await within(browser.process.ended, exitCodeMs);
  // A client closed it over CDP.
  if (end?.value.code === 0) return { status: "stopped", reason: "a client closed the browser" };
  const how = end?.value.how ?? "its control channel died";
  return { status: "crashed", reason: `the browser ended by itself (${how})` };
}
