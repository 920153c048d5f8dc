/** What belongs to a running profile besides its browser: verbs, script host, screencast, trace, mailbox and idle timer. */
import type { VerbApi } from "../../protocol/generated/verb-table.ts";
import type { HandoffChange } from "../../protocol/handoff.ts";
import { limits } from "../../protocol/limits.ts";
import type { TabCalls } from "../../protocol/messages/profile.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeferred, type Deferred } from "../kernel/deferred.ts";
import type { Log } from "../kernel/log.ts";
import { Mailbox } from "../kernel/mailbox.ts";
import { type CdpTrace, createTrace } from "./cdp/trace.ts";
import { createFrozenPages, type FrozenPages } from "./frozen-pages.ts";
import { createHandoff, type Handoff } from "./handoff.ts";
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
  handoff: Handoff;
  trace: CdpTrace;
  mailbox: Mailbox;
  idle: IdleTimer;
  pages: FrozenPages;
  /** Settles when it is known why the browser ends. */
  over: Deferred<void>;
}

export interface RunningParts {
  browser: OpenProfile;
  scripts: ScriptHost;
  clock: Clock;
  log: Log;
  title: string;
  uploadsDir: string;
  idleTimeoutSecs: number;
  /** 0 means never. */
  freezeAfterSecs: number;
  onIdle(): void;
  onHandoff(change: HandoffChange): void;
}

export function openRunning(parts: RunningParts): Running {
  const { browser, scripts, clock, log, title, uploadsDir, idleTimeoutSecs, onIdle, onHandoff } = parts;
  const mailbox = new Mailbox(`the page of ${title}`, limits.pageCallsMax);
  const handoff = createHandoff({ clock, inTurn: (begin) => mailbox.run(begin), changed: onHandoff });
  const inTurn: InTurn = (work) =>
    mailbox.run(async () => {
      handoff.refuseVerbs();
      return work();
    });
  const pages = createFrozenPages({ browser, clock, log, afterSecs: parts.freezeAfterSecs });
  browser.connection.onClient(pages.hold);
  const verbs = createPageVerbs(browser.tabs, inTurn, uploadsDir, browser.bridge);
  return {
    name: "running",
    browser,
    scripts,
    verbs,
    tabs: createTabCalls(browser.tabs, inTurn, verbs),
    screencast: createScreencast(browser.tabs, clock, handoff.isOn),
    handoff,
    trace: createTrace(browser.connection, clock),
    mailbox,
    idle: createIdleTimer(clock, idleTimeoutSecs, onIdle),
    pages,
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
