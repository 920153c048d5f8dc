/** A profile thread: one running profile, its Chromium, control channel, idle timer and script host. */
import type { MessagePort } from "node:worker_threads";
import type { Cookie, RefusedCookie } from "../cookies.ts";
import type { Launched, LaunchOptions, ProfileSpec, WarmRunner } from "../profile-spec.ts";
import type { EvaluateReply, PageReply, SnapshotReply, WaitForElementReply } from "../requests.ts";
import type { ScriptLibrary, Uuid } from "../scalars.ts";
import type { RunProfileOutcome } from "./library.ts";
import type { EngineConfig } from "./pool.ts";

/** What the pool may ask. The thread ends, of itself, when its browser has ended. */
export interface ProfileControlApi {
  /** Once per thread. Throws `conflict` (engine failed to start, user data directory held) after undoing all it did. */
  launch(input: {
    spec: ProfileSpec;
    options: LaunchOptions;
    warmRunner: WarmRunner | null;
  }): Promise<Launched>;
  /** Answers when the process is gone and its data is on disk. Before a launch: ends what was prepared for one. */
  stop(input: Record<string, never>): Promise<null>;
  touch(input: Record<string, never>): Promise<null>;
  /** While the thread has no profile: forks the process that its launch will need. */
  forkAhead(input: Record<string, never>): Promise<null>;
  /**
   * While the thread has no profile: makes a user data directory ready for one that was never opened, and gives up when a launch
   * comes. `more`: more of them are wanted.
   */
  prepare(input: Record<string, never>): Promise<{ more: boolean }>;
  /** Serves ProfilePageApi on this port. */
  connect(input: { port: MessagePort }): Promise<null>;
}

/** What anyone who was handed a port may ask. Verbs of one profile run one at a time, in order. */
export interface ProfilePageApi {
  /** Throws `conflict` (net::ERR_…, time ran out), `invalid` (a scheme that is not allowed). */
  navigate(input: { url: string }): Promise<PageReply>;
  /** Throws `conflict` (nothing matches the selector), `invalid` (it is not CSS). */
  snapshot(input: SnapshotOptions): Promise<SnapshotReply>;
  /** Throws `conflict` (element gone, hidden, covered). */
  click(input: { nodeId: number }): Promise<PageReply>;
  type(input: { nodeId: number; text: string }): Promise<PageReply>;
  pressKey(input: { key: string }): Promise<PageReply>;
  scroll(input: { amount: number; direction: "up" | "down" | "left" | "right" }): Promise<PageReply>;
  /** Throws `conflict` (exception in the page, result over 64 KiB, 10 s passed). */
  evaluate(input: { expression: string }): Promise<EvaluateReply>;
  /** Throws `conflict` (nothing matched in time), `invalid` (not a CSS selector). */
  waitForElement(input: { selector: string; timeoutMs: number }): Promise<WaitForElementReply>;
  /** `path` is relative to the uploads folder. Throws `invalid` (outside it, no such file), `conflict` (not a file input). */
  setFile(input: { nodeId: number; path: string }): Promise<PageReply>;
  /** Runs a script against this profile's browser; never throws for what the script does. */
  runScript(input: ScriptJob): Promise<RunProfileOutcome>;
  /** Ends the script of this run: its signal aborts, then the process is ended. */
  abortScript(input: { runId: Uuid; reason: string }): Promise<null>;
  /**
   * What the script of this run has logged after its first `after` lines, as soon as there is something; null when there was
   * nothing in some seconds, or no script of this run is there. Asking does not keep an idle browser open.
   */
  scriptLog(input: { runId: Uuid; after: number }): Promise<ScriptLogTail | null>;
  readCookies(input: Record<string, never>): Promise<{ cookies: Cookie[] }>;
  /** Adds them; those that the browser refuses are named and the others taken. */
  writeCookies(input: { cookies: Cookie[] }): Promise<{ refused: RefusedCookie[] }>;
  /**
   * A small picture of the tab in front, newer than the one of this number; null when none came in some seconds. Pictures are
   * taken only while somebody asks, and asking does not keep an idle browser open.
   */
  frame(input: { after: number }): Promise<{ frame: Frame | null }>;
}

/** The end of what a script has logged. */
export interface ScriptLogTail {
  /** The last ones, each as `level: text`; at most `limits.scriptLogTailLinesMax`. */
  lines: string[];
  /** Lines that were logged in all. */
  count: number;
}

/** A picture of a tab. */
export interface Frame {
  /** Grows with each. */
  number: number;
  /** Base64. */
  jpeg: string;
}

/** What of the page to show; see SnapshotQuery. */
export interface SnapshotOptions {
  interactive?: boolean;
  selector?: string;
  depth?: number;
  maxChars?: number;
}

/** One script to run on one profile. */
export interface ScriptJob {
  runId: Uuid;
  source: string;
  scriptName: string;
  library: ScriptLibrary;
  approved: boolean;
  variables: Record<string, string>;
  /** The row of the profile's fixed dataset; null, and the default, without one. */
  row?: Record<string, string> | null;
  /** The rows of the profile's consume dataset for this part of the run; none by default. */
  rows?: Record<string, string>[];
  /** Kept after the run when the script left files in it. */
  scratchDir: string;
  timeoutMs: number;
  /** Ports of this machine that are the service's own or a browser's: no page of the script is led there. */
  refusedPorts?: number[];
}

/** Parameters that a profile thread is started with. */
export interface ProfileConfig {
  engine: EngineConfig;
}

/** Notice from the profile thread to the pool: this process holds the slot until it is gone. */
export interface BrowserSpawned {
  notice: "browser-spawned";
  /** Leader of the browser's own process group. */
  pid: number;
}

/** Notice from the profile thread to the pool: its browser starts slowly, because others have the cores. */
export interface BrowserSlow {
  notice: "browser-slow";
}

/** Notice from the profile thread to the pool: its browser ends without the pool's asking, and will be gone in a moment. */
export interface BrowserEnding {
  notice: "browser-ending";
}

/** Notice from the profile thread to the pool: its browser has ended. The thread ends next, or is vacant. */
export interface BrowserEnded {
  notice: "browser-ended";
  status: "stopped" | "crashed";
  reason: string;
}

/** Notice from the profile thread to the pool: nothing of its profile is left, and it may be given another. */
export interface Vacant {
  notice: "vacant";
}

export type ProfileNotice = BrowserSpawned | BrowserSlow | BrowserEnding | BrowserEnded | Vacant;
