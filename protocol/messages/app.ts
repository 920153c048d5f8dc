/** What the application may do on the user's behalf: command line now, control page later. Never part of `/v1`. */

import type { tags } from "typia";
import type { PoolProxy, ProxyPool, ProxyType } from "../proxies.ts";
import type { Run, Script, ScriptListing, Settings, Token } from "../records.ts";
import type { SaveScriptReply } from "../requests.ts";
import type { Access, Count, ScriptLibrary, Uuid } from "../scalars.ts";
import type { AppProfileCalls } from "./app-profiles.ts";
import type { BackupReply } from "./backups.ts";
import type { Violation } from "./tasks.ts";

/** How the service is doing. */
export interface ServiceStatus {
  pid: number;
  /** Null while the API is off. */
  apiUrl: string | null;
  active: number;
  max: number;
  queued: number;
  uptimeSecs: number;
  dataDir: string;
}

/** A batch that the user starts with their own hand. */
export interface AppBatch {
  scriptId: Uuid;
  profileIds: Uuid[];
  variables: Record<string, string>;
  /** Browsers that the batch opens have no window. */
  headless: boolean;
  concurrency: Count;
  staggerMs: Count;
}

export interface AppApi extends AppProfileCalls {
  status(input: Record<string, never>): Promise<ServiceStatus>;
  /** A link that opens the control page, once. */
  openLink(input: Record<string, never>): Promise<{ url: string }>;
  /**
   * Opens the control page's window, or brings the one that is open to the front; it is the service's and ends with it.
   * `display` are those variables of the caller's environment that say where windows open. Throws `internal` (it did not open).
   */
  showWindow(input: { display: Record<string, string> }): Promise<{ window: "opened" | "raised" }>;
  /** Switches the API on, kept across restarts; `port` null keeps the one chosen before. */
  apiOn(input: { port: number | null }): Promise<{ apiUrl: string }>;
  apiOff(input: Record<string, never>): Promise<null>;
  mintToken(input: { name: string; access: Access }): Promise<{ token: string }>;
  listTokens(input: Record<string, never>): Promise<Token[]>;
  revokeToken(input: { name: string }): Promise<null>;
  listScripts(input: Record<string, never>): Promise<ScriptListing[]>;
  /** The script beside the source that was approved last; null when none ever was. Throws `not-found`. */
  reviewScript(input: { scriptId: Uuid }): Promise<{ script: Script; approvedSource: string | null }>;
  /** What in this source breaks the Raw script contract, by line; at most 100. */
  checkScript(input: { source: string }): Promise<{ violations: Violation[] }>;
  /**
   * Saves a Raw script by the user's own hand; the API cannot replace it from then on. Throws `invalid` (the contract, one
   * line a breach), `not-found`, `conflict` (a DSL script).
   */
  saveAppScript(input: {
    name: string & tags.MinLength<1> & tags.MaxLength<200>;
    description: string & tags.MaxLength<10000>;
    source: string;
    scriptId: Uuid | null;
  }): Promise<SaveScriptReply>;
  /** Approves the source of this SHA-256, by default the one it has now. Throws `not-found`, `conflict` (another source by now). */
  approveScript(input: { scriptId: Uuid; sha256?: string }): Promise<Script>;
  /**
   * Compiles a document of the DSL, or a recording of the DevTools Recorder, and saves it as a script that runs as the
   * code; `scriptId` replaces a DSL script. Throws as `compileDsl` and the library's `saveDslScript` do.
   */
  saveDslScript(input: {
    /** Null: the document's own name. */
    name: (string & tags.MinLength<1> & tags.MaxLength<200>) | null;
    description: string & tags.MaxLength<10000>;
    dsl: Record<string, unknown>;
    target: ScriptLibrary;
    scriptId: Uuid | null;
  }): Promise<SaveScriptReply & { nodeCount: number; warnings: string[] }>;
  /** The document for the editor. Throws `not-found`, `conflict` (a Raw script). */
  readDslScript(input: {
    scriptId: Uuid;
  }): Promise<{ script: Script; target: ScriptLibrary; dsl: Record<string, unknown> }>;
  /**
   * Starts a batch as `POST /v1/scripts/batch` does, whose body knows no `headless`. `concurrency` and `staggerMs` 0 leave it
   * to the pool. Faults as RunsApi.start.
   */
  startBatch(input: AppBatch): Promise<Run>;
  /** A pool of one gateway, whose user or password holds `{session}`. Throws `invalid` (the line is bad or holds none). */
  createRotatingPool(input: { name: string; type: ProxyType; line: string }): Promise<ProxyPool>;
  /** The proxies of a pool by slot, as last tested; `waiting` are the slots that a test has yet to answer. Throws `not-found`. */
  listProxies(input: { poolId: Uuid }): Promise<{ proxies: PoolProxy[]; waiting: Count[] }>;
  /**
   * Tests every proxy of the pool and keeps what is found as it is found, so that `listProxies` follows; a test that is
   * under way is joined. Answers at its end. Throws `not-found`.
   */
  testProxies(input: { poolId: Uuid }): Promise<{ alive: Count; dead: Count }>;
  /** Throws `not-found`, `conflict` (profiles go out through it). */
  deleteProxyPool(input: { poolId: Uuid }): Promise<null>;
  /** Its runs stay. Throws `not-found`. */
  deleteSchedule(input: { scheduleId: Uuid }): Promise<null>;
  /** As the library's; profiles whose browsers run are left out. */
  backup(input: { file: string; passphrase: string | null }): Promise<BackupReply>;
  readSettings(input: Record<string, never>): Promise<Settings>;
  changeSettings(input: { settings: Partial<Settings> }): Promise<Settings>;
}
