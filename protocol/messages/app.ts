/** What the application may do for the user, by command line and control page. Never part of `/v1`. */

import type { tags } from "typia";
import type { EventType, StoredEvent } from "../events.ts";
import type { FleetLeaving, FleetStatus } from "../fleet.ts";
import type { Run, Script } from "../records.ts";
import type { SaveScriptReply } from "../requests.ts";
import type { Count, ScriptLibrary, Uuid } from "../scalars.ts";
import type { AppProfileCalls } from "./app-profiles.ts";
import type { LibraryApi } from "./library.ts";
import type { OperationsApi } from "./operations.ts";
import type { Violation } from "./tasks.ts";

export interface ServiceStatus {
  pid: number;
  apiUrl: string | null;
  active: number;
  max: number;
  queued: number;
  memoryShort: boolean;
  uptimeSecs: number;
  dataDir: string;
  /** Of schedules. */
  timezone: string;
}

export interface AppBatch {
  scriptId: Uuid;
  profileIds: Uuid[];
  variables: Record<string, string>;
  headless: boolean;
  concurrency: Count;
  staggerMs: Count;
}

/** Those that the library answers as they are. */
type LibraryCalls = Pick<
  LibraryApi,
  | "mintToken"
  | "listTokens"
  | "revokeToken"
  | "listScripts"
  | "reviewScript"
  | "createRotatingPool"
  | "deleteSchedule"
  | "readSettings"
  | "changeSettings"
  | "addExtension"
  | "removeExtension"
  | "listExtensions"
>;

type OperationCalls = Pick<OperationsApi, "listProxies" | "testProxies" | "backup">;

export interface AppApi extends AppProfileCalls, LibraryCalls, OperationCalls {
  status(input: Record<string, never>): Promise<ServiceStatus>;
  /** A link to the control page, valid once. */
  openLink(input: Record<string, never>): Promise<{ url: string }>;
  /** Opens the control page's window or brings it to the front. `display`: the caller's `displayVariables`. Throws `internal`. */
  showWindow(input: { display: Record<string, string> }): Promise<{ window: "opened" | "raised" }>;
  /** The newest events, oldest first; null: of all profiles, or of all types. Later ones come from `GET /v1/events?after=…`. */
  recentEvents(input: {
    profileId: Uuid | null;
    types: EventType[] | null;
    limit: Count & tags.Minimum<1> & tags.Maximum<1000>;
  }): Promise<{ events: StoredEvent[]; after: Count }>;
  /** Also after a restart; `port` null keeps the stored one. */
  apiOn(input: { port: number | null }): Promise<{ apiUrl: string }>;
  apiOff(input: Record<string, never>): Promise<null>;
  /** Breaches of the Raw script contract by line, at most 100. */
  checkScript(input: { source: string }): Promise<{ violations: Violation[] }>;
  /** The API cannot replace it. Throws `invalid` (one line per breach), `not-found`, `conflict` (a DSL script). */
  saveAppScript(input: {
    name: string & tags.MinLength<1> & tags.MaxLength<200>;
    description: string & tags.MaxLength<10000>;
    source: string;
    scriptId: Uuid | null;
  }): Promise<SaveScriptReply>;
  /** `sha256`: of the source; default: the current one. Throws `not-found`, `conflict` (the source has changed). */
  approveScript(input: { scriptId: Uuid; sha256?: string }): Promise<Script>;
  /** Compiles a DSL document or a DevTools recording, and saves it. Throws as `compileDsl` and LibraryApi.saveDslScript. */
  saveDslScript(input: {
    /** Null: the document's name. */
    name: (string & tags.MinLength<1> & tags.MaxLength<200>) | null;
    description: string & tags.MaxLength<10000>;
    dsl: Record<string, unknown>;
    target: ScriptLibrary;
    scriptId: Uuid | null;
  }): Promise<SaveScriptReply & { nodeCount: number; warnings: string[] }>;
  /** Throws `not-found`, `conflict` (a Raw script). */
  readDslScript(input: {
    scriptId: Uuid;
  }): Promise<{ script: Script; target: ScriptLibrary; dsl: Record<string, unknown> }>;
  /** As RunsApi.fleetStatus. */
  fleetStatus(input: Record<string, never>): Promise<FleetStatus | null>;
  /** As RunsApi.drainMachine. */
  drainMachine(input: { name: string; draining: boolean }): Promise<null>;
  /** Of a head; call again until it has left. Throws as RunsApi.leaveFleet. */
  leaveFleet(input: { drain: boolean }): Promise<FleetLeaving>;
  /** `concurrency` and `staggerMs` 0: the defaults of `POST /v1/scripts/batch`. Faults as RunsApi.start. */
  startBatch(input: AppBatch): Promise<Run>;
}
