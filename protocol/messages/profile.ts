/** A profile thread: one running profile, its Chromium, control channel, idle timer and script host. */
import type { MessagePort } from "node:worker_threads";
import type { Cookie, RefusedCookie } from "../cookies.ts";
import type { Download, DownloadedFile } from "../downloads.ts";
import type { VerbApi } from "../generated/verb-table.ts";
import type { HandoffChange, HandoffReply, UserInput } from "../handoff.ts";
import { limits } from "../limits.ts";
import type { Launched, LaunchOptions, ProfileSpec, WarmRunner } from "../profile-spec.ts";
import type { OpenTabBody, TabRecord } from "../requests.ts";
import type { ScriptLogTail } from "../run-task.ts";
import type { ScriptLibrary, Uuid } from "../scalars.ts";
import type { Deadlines } from "./deadlines.ts";
import type { RunProfileOutcome } from "./library.ts";
import type { EngineConfig } from "./pool.ts";

/** Calls of the pool. The thread ends by itself after its browser has ended. */
export interface ProfileControlApi {
  /** Once per thread. Throws `conflict` (engine failed to start, user data directory in use) after undoing everything. */
  launch(input: {
    spec: ProfileSpec;
    options: LaunchOptions;
    warmRunner: WarmRunner | null;
  }): Promise<Launched>;
  /** Returns when the process has ended and its data is on disk. */
  stop(input: Record<string, never>): Promise<null>;
  touch(input: Record<string, never>): Promise<null>;
  /** Freezes the pages now instead of later, if nothing uses them. */
  freezePages(input: Record<string, never>): Promise<null>;
  /** Before a launch, which ends it: makes a user data directory for a new profile. `more`: more of them are needed. */
  prepare(input: Record<string, never>): Promise<{ more: boolean }>;
  connect(input: { port: MessagePort }): Promise<null>;
}

/** A launch has its own timeout, and a stop takes several steps on a busy machine. */
export const profileControlDeadlines = {
  launch: limits.launchLongestMs + 60_000,
  stop: 35_000,
} satisfies Deadlines<ProfileControlApi>;

/** Calls on tabs. All but the list take their turn with the verbs. */
export interface TabCalls {
  listTabs(input: Record<string, never>): Promise<TabRecord[]>;
  /** The new tab is the current one. Throws as navigate does; the tab stays then. */
  openTab(input: OpenTabBody): Promise<TabRecord>;
  /** Throws `not-found`. */
  activateTab(input: { tabId: string }): Promise<null>;
  /** Throws `not-found`, `conflict` (it does not close). */
  closeTab(input: { tabId: string }): Promise<null>;
}

/** Calls on what the pages have downloaded. None waits for verbs. */
export interface DownloadCalls {
  listDownloads(input: Record<string, never>): Promise<Download[]>;
  /** Throws `not-found`, `conflict` (in progress, failed). */
  readDownload(input: { downloadId: string; waitMs: number }): Promise<DownloadedFile>;
  /** Cancels one in progress. Throws `not-found`. */
  deleteDownload(input: { downloadId: string }): Promise<null>;
}

/** Calls that hand the profile to the user. */
export interface HandoffCalls {
  /** Verbs are refused with `conflict` meanwhile. Throws `conflict` (handed to the user already; the browser ends). */
  handoff(input: { message: string; timeoutMs: number; ticket?: string }): Promise<HandoffReply>;
  /** Ends the handoff of this ticket, whose caller has disconnected. */
  leaveHandoff(input: { ticket: string }): Promise<null>;
  /** Throws `conflict` when it is not handed to the user. */
  endHandoff(input: { outcome: "handed_back" | "refused" }): Promise<null>;
  /** To the tab that the picture shows. Throws as `endHandoff`. */
  userInput(input: { events: UserInput[] }): Promise<null>;
}

/** Calls on a profile's port. Its verbs (protocol/verbs/) run one at a time, in order. */
export interface ProfilePageApi extends VerbApi, TabCalls, DownloadCalls, HandoffCalls {
  /** Never throws for what the script does. */
  runScript(input: ScriptJob): Promise<RunProfileOutcome>;
  /** Aborts the script's signal, then ends its process. */
  abortScript(input: { runId: Uuid; reason: string }): Promise<null>;
  /** Lines after the first `after`; null when none came in some seconds. Does not touch the idle timer. */
  scriptLog(input: { runId: Uuid; after: number }): Promise<ScriptLogTail | null>;
  readCookies(input: Record<string, never>): Promise<{ cookies: Cookie[] }>;
  /** Names the cookies that the browser refuses and adds the others. */
  writeCookies(input: { cookies: Cookie[]; replace?: boolean }): Promise<{ refused: RefusedCookie[] }>;
  /** Null: all. */
  deleteCookies(input: { domain: string | null }): Promise<null>;
  /** A small picture of the active tab, newer than `after`; null when none came in some seconds. Does not touch the idle timer. */
  picture(input: { after: number }): Promise<{ picture: TabPicture | null }>;
  /** DevTools traffic as JSON lines, after the first `after`; begins and goes on while it is read. Does not touch the idle timer. */
  cdpTrace(input: { after: number; waitMs: number }): Promise<CdpTraceTail>;
}

export interface CdpTraceTail {
  /** The newest lines; those that the reader was too slow for are missing. */
  lines: string[];
  /** Number of all lines so far. */
  count: number;
}

export interface TabPicture {
  number: number;
  /** Of the page that it shows, in CSS pixels. */
  width: number;
  height: number;
  /** Base64. */
  jpeg: string;
}

export interface ScriptJob {
  runId: Uuid;
  source: string;
  scriptName: string;
  library: ScriptLibrary;
  approved: boolean;
  variables: Record<string, string>;
  row?: Record<string, string> | null;
  rows?: Record<string, string>[];
  /** Kept after the run if it has files. */
  scratchDir: string;
  timeoutMs: number;
  /** Ports of the service and its browsers, which pages of the script must not reach. */
  refusedPorts?: number[];
  /** Why the profile cannot be handed to the user. */
  noHandoff?: string;
}

export interface ProfileConfig {
  engine: EngineConfig;
}

/** To the pool: this process occupies the slot until it has ended. */
export interface BrowserSpawned {
  notice: "browser-spawned";
  /** Leader of the browser's process group. */
  pid: number;
}

/** To the pool: the browser starts slowly because others use the cores. */
export interface BrowserSlow {
  notice: "browser-slow";
}

/** To the pool: the browser ends on its own and will be gone in a moment. */
export interface BrowserEnding {
  notice: "browser-ending";
}

/** To the pool: the browser has ended. The thread ends next, or is vacant. */
export interface BrowserEnded {
  notice: "browser-ended";
  status: "stopped" | "crashed";
  reason: string;
}

/** To the pool: nothing of the profile is left, and the thread may get another. */
export interface Vacant {
  notice: "vacant";
}

/** To the pool. */
export interface HandoffChanged {
  notice: "handoff";
  change: HandoffChange;
}

/** To the pool: a page's download has ended. */
export interface Downloaded {
  notice: "downloaded";
  id: string;
  name: string;
  failed: boolean;
}

export type ProfileNotice =
  | Downloaded
  | HandoffChanged
  | BrowserSpawned
  | BrowserSlow
  | BrowserEnding
  | BrowserEnded
  | Vacant;
