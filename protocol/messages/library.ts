/** The library thread: the only owner of storage. One message is one transaction. */
import type { Fingerprint } from "../fingerprint.ts";
import { limits } from "../limits.ts";
import type { LiveProfile, ProfileSpec } from "../profile-spec.ts";
import type { Run, RunProfile, Script, ScriptListing, Settings, Token } from "../records.ts";
import type { CreateProfilesReply, ListProfilesQuery, ListTrashQuery, SaveScriptReply } from "../requests.ts";
import type { BatchRehearsal, RunProfilesReply } from "../run-requests.ts";
import type { RunProfileOutcome, RunTask } from "../run-task.ts";
import type { Access, Count, DateTime, Placement, ProfileOs, ScriptLibrary, Uuid } from "../scalars.ts";
import type { DueTime } from "../schedules.ts";
import type { BackupCalls } from "./backups.ts";
import type { ChangeCalls } from "./changes.ts";
import type { DatasetCalls } from "./datasets.ts";
import type { Deadlines } from "./deadlines.ts";
import type { EventCalls } from "./events.ts";
import type { ExtensionCalls } from "./extensions.ts";
import type { FleetCalls } from "./fleet.ts";
import type { RunKind } from "./pool.ts";
import type { ProfileCopyCalls } from "./profile-copies.ts";
import type { ProfileKeepingCalls } from "./profile-keeping.ts";
import type { NewProfilesPool, ProxyCalls } from "./proxies.ts";
import type { RunRequest } from "./runs.ts";
import type { ScheduleCalls } from "./schedules.ts";
import type { WebhookCalls } from "./webhooks.ts";

/** `sha256` of the token's value, hexadecimal. */
export interface TokenKey {
  name: string;
  access: Access;
  sha256: string;
}

export type { RunProfileOutcome, RunTask };

export interface RunWork {
  run: Run;
  kind: RunKind;
  waiting: Uuid[];
  /** Parts in the fleet; absent: the run is local. */
  placed?: Uuid[];
  /** For a runner that is warmed while the browser starts. */
  library: ScriptLibrary;
  headless: boolean;
  concurrency: number;
  staggerMs: number;
  timeoutMs: number;
  /** For the memory limit of the warmed runner. */
  approved: boolean;
  /** An Idempotency-Key had started this run before: there is nothing to drive. */
  replayed?: true;
}

export interface FiredRun {
  run: Run;
  work: RunWork | null;
}

/** Index n of the reply's `failed` is device n. */
export interface NewProfiles {
  nameTemplate: string;
  os: ProfileOs;
  tags: string[];
  /** Of profiles without a proxy. */
  timezone: string;
  /** Of profiles without a proxy; empty: the host's. */
  languages: string[];
  devices: Fingerprint[];
  proxyPool?: NewProfilesPool;
  identityDatasetId?: Uuid;
  contentDatasetId?: Uuid;
}

export interface StorageState {
  /** Why nothing can be written; null: the disk takes writes. */
  refusal: string | null;
  journalBytes: number;
  /** Null before the first. */
  snapshotAt: DateTime | null;
  /** Those that are kept. */
  runs: { status: string; count: Count }[];
}

export interface LibraryApi
  extends DatasetCalls,
    ProfileKeepingCalls,
    ProxyCalls,
    ScheduleCalls,
    BackupCalls,
    EventCalls,
    FleetCalls,
    ProfileCopyCalls,
    WebhookCalls,
    ExtensionCalls,
    ChangeCalls {
  /** JSON bytes of the Profile records, newest last; `live` gives the running state. */
  listProfiles(input: { live: LiveProfile[] }): Promise<{ json: Uint8Array }>;
  /** The same of the profiles that fit. Throws `invalid` (`after` is no profile). */
  findProfiles(input: { live: LiveProfile[]; query: ListProfilesQuery }): Promise<{ json: Uint8Array }>;
  /** JSON bytes of TrashedProfile records. Throws `invalid` (`after` is no profile). */
  listTrash(input: { live: LiveProfile[]; query: ListTrashQuery }): Promise<{ json: Uint8Array }>;
  /** JSON bytes of one Profile record. Throws `not-found`, also for one in the trash. */
  profileRecord(input: { live: LiveProfile[]; profileId: Uuid }): Promise<{ json: Uint8Array }>;
  /** One per device, in order. Throws `forbidden` (the plan's limit), `conflict` (none could be created). */
  createProfiles(input: NewProfiles): Promise<CreateProfilesReply>;
  /** Keys of devices in use, for `sampleDevices`. */
  takenDevices(input: { os: ProfileOs }): Promise<{ keys: string[] }>;
  /** Throws `not-found`. */
  /** `opens`: for a browser that starts now; waits while the profile's files are replaced. */
  profileSpec(input: {
    profileId: Uuid;
    opens?: boolean;
  }): Promise<{ spec: ProfileSpec; idleTimeoutSecs: number }>;
  /** How many browsers have opened the profile. */
  profileOpenings(input: { profileId: Uuid }): Promise<number>;
  /** Sets `lastUsed`. */
  profileUsed(input: { profileId: Uuid }): Promise<null>;
  /** Replaces all stored variables. Throws `not-found`, `invalid` (a bad name, an oversized value). */
  setVariables(input: { profileId: Uuid; variables: Record<string, string> }): Promise<{ names: string[] }>;

  listScripts(input: Record<string, never>): Promise<ScriptListing[]>;
  /** Throws `not-found`. */
  readScript(input: { scriptId: Uuid }): Promise<Script>;
  /** `approvedSource`: the one that was approved last; null: never. Throws `not-found`. */
  reviewScript(input: { scriptId: Uuid }): Promise<{ script: Script; approvedSource: string | null }>;
  /** After the contract check. Throws `not-found`, `conflict` (a DSL script; for the API also one of the user's). */
  saveScript(input: {
    name: string;
    source: string;
    description: string;
    library: ScriptLibrary;
    scriptId: Uuid | null;
    /** Default `api`. A script that the user overwrites becomes the user's. */
    origin?: "api" | "app";
  }): Promise<SaveScriptReply>;
  /** The document as JSON, and the source compiled from it. Throws `not-found`, `conflict` (a Raw script), `invalid` (the plan). */
  saveDslScript(input: {
    name: string;
    description: string;
    document: string;
    source: string;
    library: ScriptLibrary;
    scriptId: Uuid | null;
  }): Promise<SaveScriptReply>;
  /** Throws `not-found`, `conflict` (a Raw script). */
  readDslScript(input: {
    scriptId: Uuid;
  }): Promise<{ script: Script; library: ScriptLibrary; document: string }>;
  /** Throws `not-found`, `conflict` (the user's, or in use). */
  deleteScript(input: { scriptId: Uuid }): Promise<null>;
  /** `sha256`: of the source; null: the current one. Throws `not-found`, `conflict` (the source has changed). */
  approveScript(input: { scriptId: Uuid; sha256: string | null }): Promise<Script>;

  /**
   * Creates a run and its parts, or returns the one that this Idempotency-Key started. Throws `not-found` (script),
   * `forbidden` (the plan), `conflict` (a profile does not exist; the key was used with another request), `invalid` (an
   * unapproved script on too many profiles or in a batch; a bad variable).
   */
  createRun(input: RunRequest): Promise<RunWork>;
  /** What `createRun` would refuse, and parts that would fail for lack of dataset rows; nothing changes. Throws as `createRun`, but for profiles. */
  rehearseRun(input: RunRequest): Promise<BatchRehearsal>;
  /**
   * Creates the run of a due schedule, or with `due` null one that the user asks for. The run is `skipped` when the
   * previous one goes on, the script is not approved, or the plan refuses. Null when `due` is no longer the next run;
   * waits for one that is slightly early. Throws `not-found` when `due` is null.
   */
  fireSchedule(input: {
    scheduleId: Uuid;
    due: DueTime | null;
    placement?: Placement;
  }): Promise<FiredRun | null>;
  /** Throws `not-found`, `conflict` (the script has changed since the run began; protocol/README.md, "Scripts, runs"). */
  runProfileSpec(input: {
    runId: Uuid;
    profileId: Uuid;
  }): Promise<{ spec: ProfileSpec; idleTimeoutSecs: number }>;
  /** Marks the part as running. Throws `not-found`, `conflict` (the part is not waiting; the script has changed). */
  beginRunProfile(input: { runId: Uuid; profileId: Uuid }): Promise<RunTask>;
  /** A second end is ignored. */
  endRunProfile(input: { runId: Uuid; profileId: Uuid; outcome: RunProfileOutcome }): Promise<null>;
  /** Skips waiting parts; the coordinator ends running ones. Returns an ended run as it is. Throws `not-found`. */
  cancelRun(input: { runId: Uuid }): Promise<Run>;
  /** The status follows from the parts; waiting ones become skipped. `error` says why the run broke. */
  endRun(input: { runId: Uuid; error: string | null }): Promise<Run>;
  /** Running runs that are not `driven`, to be continued. Their running parts fail with `interrupted`. */
  resumeRuns(input: { driven: Uuid[] }): Promise<RunWork[]>;
  readRun(input: { runId: Uuid }): Promise<Run>;
  /** With its files. Throws `not-found`, `conflict` (in progress). */
  deleteRun(input: { runId: Uuid }): Promise<null>;
  /** What the run did not complete, without who asks. Throws `not-found`, `conflict` (in progress; nothing to repeat). */
  retryRequest(input: {
    runId: Uuid;
    only: "failed" | "skipped" | "interrupted" | null;
  }): Promise<Omit<RunRequest, "source">>;
  listRuns(input: { scheduleId: Uuid | null; limit: number }): Promise<Run[]>;
  /** Throws `not-found` (run, or a profile that it does not have). */
  runProfile(input: { runId: Uuid; profileId: Uuid }): Promise<RunProfile>;
  runProfiles(input: {
    runId: Uuid;
    offset: number;
    limit: number;
    /** Absent: all. */
    status?: RunProfile["status"];
  }): Promise<RunProfilesReply>;

  /** The value is returned only here. Throws `conflict` (a token of this name). */
  mintToken(input: { name: string; access: Access }): Promise<{ token: string }>;
  listTokens(input: Record<string, never>): Promise<Token[]>;
  /** Throws `not-found`. */
  revokeToken(input: { name: string }): Promise<null>;
  tokenKeys(input: Record<string, never>): Promise<TokenKey[]>;
  tokensUsed(input: { uses: { name: string; at: DateTime }[] }): Promise<null>;

  readSettings(input: Record<string, never>): Promise<Settings>;
  changeSettings(input: { settings: Partial<Settings> }): Promise<Settings>;

  /** For health and metrics. */
  storageState(input: Record<string, never>): Promise<StorageState>;
  /** Housekeeping: a snapshot when the journal has grown, and removal of orphaned directories. */
  maintain(input: Record<string, never>): Promise<null>;
  /** Takes a snapshot and releases the data directory. Later calls are refused. */
  close(input: Record<string, never>): Promise<null>;
}

/** `changes` waits for a change; `close` may write a large snapshot. A backup may be gigabytes. */
export const libraryDeadlines = {
  changes: Number.POSITIVE_INFINITY,
  events: Number.POSITIVE_INFINITY,
  deleteForGood: 10 * 60_000,
  close: limits.serviceStopMs,
  backup: Number.POSITIVE_INFINITY,
  duplicateProfile: Number.POSITIVE_INFINITY,
  createCheckpoint: Number.POSITIVE_INFINITY,
  restoreCheckpoint: Number.POSITIVE_INFINITY,
  deleteCheckpoint: Number.POSITIVE_INFINITY,
  exportProfile: Number.POSITIVE_INFINITY,
  importProfile: Number.POSITIVE_INFINITY,
  giveProfile: Number.POSITIVE_INFINITY,
  receiveProfile: Number.POSITIVE_INFINITY,
} satisfies Deadlines<LibraryApi>;

export interface LibraryConfig {
  dataDir: string;
  /** Backup from which the directory, which must be empty, is created. */
  restore?: { file: string; passphrase: string | null };
}
