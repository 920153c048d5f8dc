/** The library thread: the only owner of storage. One message is one transaction. */
import type { Fingerprint } from "../fingerprint.ts";
import type { LiveProfile, ProfileSpec } from "../profile-spec.ts";
import type { Run, Script, ScriptListing, Settings, Token } from "../records.ts";
import type { CreateProfilesReply, RunProfilesReply, SaveScriptReply } from "../requests.ts";
import type { Access, DateTime, IsolationLevel, ProfileOs, ScriptLibrary, Uuid } from "../scalars.ts";
import type { DueTime } from "../schedules.ts";
import type { BackupCalls } from "./backups.ts";
import type { ChangesApi } from "./changes.ts";
import type { DatasetsApi } from "./datasets.ts";
import type { ProfileKeepingCalls } from "./profile-keeping.ts";
import type { NewProfilesPool, ProxiesApi } from "./proxies.ts";
import type { RunRequest } from "./runs.ts";
import type { ScheduleCalls } from "./schedules.ts";

/** A token as the gate needs it: the SHA-256 of its value, hexadecimal. */
export interface TokenKey {
  name: string;
  access: Access;
  sha256: string;
}

/** A run that is to be driven, as the run coordinator needs it. */
export interface RunWork {
  run: Run;
  /** Profiles that have not started, in order. */
  waiting: Uuid[];
  /** The library its script drives the page with, so that a runner can be warmed beside the browser's start. */
  library: ScriptLibrary;
  headless: boolean;
  /** 0 means the browser pool's `max`. */
  concurrency: number;
  staggerMs: number;
  timeoutMs: number;
  /** The script's approval when the work was handed out, so that the warmed runner has the memory it will be given. */
  approved: boolean;
  /** An Idempotency-Key had started this run before: there is nothing to drive. */
  replayed?: true;
}

/** What a firing became: a run to be driven, or one that was skipped. */
export interface FiredRun {
  run: Run;
  /** Null when the run was skipped. */
  work: RunWork | null;
}

/** One profile's part of a run, begun. */
export interface RunTask {
  spec: ProfileSpec;
  /** Default of the setting; a profile that a run opens is stopped by the run, not by idleness. */
  idleTimeoutSecs: number;
  script: { id: Uuid; name: string; source: string; library: ScriptLibrary; approved: boolean };
  /** Request variables over stored ones; stored ones only when the script is approved. */
  variables: Record<string, string>;
  /** The row of the profile's fixed dataset, without its secret columns unless the script is approved; null, and the default, without one. */
  row?: Record<string, string> | null;
  /** The rows of the profile's consume dataset that this part holds, likewise; none by default. */
  rows?: Record<string, string>[];
  /** Scratch directory of this part; files left in it are kept as the run's files. */
  scratchDir: string;
}

/** How one profile's part of a run ended. */
export interface RunProfileOutcome {
  status: "completed" | "failed" | "skipped";
  error: string | null;
  result: unknown;
  output: Record<string, unknown>[];
  log: string[];
  files: string[];
  launchMs: number | null;
  /** Null when no process was started. */
  isolation: IsolationLevel | null;
}

/** What one call creates, device by device: index n of the reply's `failed` is device n. */
export interface NewProfiles {
  /** `{n}` is replaced by 1, 2, … */
  nameTemplate: string;
  os: ProfileOs;
  tags: string[];
  /** Of a profile that goes out directly. */
  timezone: string;
  /** Of a profile that goes out directly; empty: the host's. */
  languages: string[];
  /** Sampled before, on a task thread; stored as they are. */
  devices: Fingerprint[];
  /** Default: they go out directly. */
  proxyPool?: NewProfilesPool;
  /** A fixed dataset: a row of it for each. */
  identityDatasetId?: Uuid;
  /** A consume dataset for the Content slot. */
  contentDatasetId?: Uuid;
}

export interface LibraryApi
  extends DatasetsApi,
    ProfileKeepingCalls,
    ProxiesApi,
    ScheduleCalls,
    BackupCalls,
    ChangesApi {
  /** The JSON bytes of the array of Profile records, newest last; `live` gives the running state. */
  listProfiles(input: { live: LiveProfile[] }): Promise<{ json: Uint8Array }>;
  /**
   * Creates a profile for each device, in order. Throws `forbidden` (the plan's profile limit), `conflict` (none could be
   * created).
   */
  createProfiles(input: NewProfiles): Promise<CreateProfilesReply>;
  /** Keys of the devices that the profiles of this system have, for `sampleDevices`. */
  takenDevices(input: { os: ProfileOs }): Promise<{ keys: string[] }>;
  /** Throws `not-found`. */
  profileSpec(input: { profileId: Uuid }): Promise<{ spec: ProfileSpec; idleTimeoutSecs: number }>;
  /** Sets `lastUsed`. */
  profileUsed(input: { profileId: Uuid }): Promise<null>;
  /**
   * Replaces all stored variables of the profile; answers their names only. Throws `not-found`, `invalid` (a bad name, an
   * oversized value).
   */
  setVariables(input: { profileId: Uuid; variables: Record<string, string> }): Promise<{ names: string[] }>;

  listScripts(input: Record<string, never>): Promise<ScriptListing[]>;
  /** Throws `not-found`. */
  readScript(input: { scriptId: Uuid }): Promise<Script>;
  /** The script beside the source that was approved last; null when none ever was. Throws `not-found`. */
  reviewScript(input: { scriptId: Uuid }): Promise<{ script: Script; approvedSource: string | null }>;
  /**
   * Saves a Raw script whose contract has been checked. Throws `not-found` (script_id), `conflict` (a DSL script, or for the
   * API one written in the application).
   */
  saveScript(input: {
    name: string;
    source: string;
    description: string;
    library: ScriptLibrary;
    scriptId: Uuid | null;
    /** Who writes it, by default the API; a script that the user has written over is the user's from then on. */
    origin?: "api" | "app";
  }): Promise<SaveScriptReply>;
  /**
   * Saves a script of the application's editor: its document as JSON, and the source that this was compiled to, which is
   * what runs. Throws `not-found`, `conflict` (a Raw script), `invalid` (the plan).
   */
  saveDslScript(input: {
    name: string;
    description: string;
    document: string;
    source: string;
    library: ScriptLibrary;
    scriptId: Uuid | null;
  }): Promise<SaveScriptReply>;
  /** The document as JSON, beside the script. Throws `not-found`, `conflict` (a Raw script). */
  readDslScript(input: {
    scriptId: Uuid;
  }): Promise<{ script: Script; library: ScriptLibrary; document: string }>;
  /** The user's approval, bound to the source of this SHA-256. Throws `not-found`, `conflict` (another source by now). */
  approveScript(input: { scriptId: Uuid; sha256: string | null }): Promise<Script>;

  /**
   * Creates a run with its per-profile parts; or, for an Idempotency-Key that has started one, answers that. Throws `not-found` (script), `conflict` (a profile does not exist),
   * `invalid` (an unapproved script on more than 3 profiles, or in a batch; a bad variable name or an oversized value),
   * `forbidden` (the plan), `conflict` (the key was used with another request).
   */
  createRun(input: RunRequest): Promise<RunWork>;
  /**
   * The schedule's time has come, or with `due` null its user asks for a run: makes its run, which is `skipped` when the
   * previous one is still going, the script is not approved, or the plan refuses. A due time that is not the schedule's
   * next run any more makes none: null. One that is handed on a little early is waited for. Throws `not-found` when `due` is null.
   */
  fireSchedule(input: { scheduleId: Uuid; due: DueTime | null }): Promise<FiredRun | null>;
  /**
   * What the browser of the profile's part is opened with. Throws `not-found`, and `conflict` when the script was changed after
   * the run began: what has not begun by then is skipped, with that as the run's error (protocol/README.md, "Scripts, runs").
   */
  runProfileSpec(input: { runId: Uuid; profileId: Uuid }): Promise<{ spec: ProfileSpec }>;
  /**
   * Marks the profile's part as running and hands out what it needs. Throws `not-found`, `conflict` (part not waiting; the script
   * was changed, as `runProfileSpec`).
   */
  beginRunProfile(input: { runId: Uuid; profileId: Uuid }): Promise<RunTask>;
  /** Ends the profile's part once; a second end is ignored. */
  endRunProfile(input: { runId: Uuid; profileId: Uuid; outcome: RunProfileOutcome }): Promise<null>;
  /**
   * Marks the run as cancelled: its waiting parts become skipped, what runs is the coordinator's to end. A run that has
   * ended is answered as it is. Throws `not-found`.
   */
  cancelRun(input: { runId: Uuid }): Promise<Run>;
  /** Ends the run: its status follows from its parts; parts still waiting become skipped; `error` says why it broke. */
  endRun(input: { runId: Uuid; error: string | null }): Promise<Run>;
  /**
   * What nobody drives: of every run still running, except those that are `driven`, parts that were running are failed with
   * `interrupted`, and the run is handed out to be gone on with.
   */
  resumeRuns(input: { driven: Uuid[] }): Promise<RunWork[]>;
  readRun(input: { runId: Uuid }): Promise<Run>;
  listRuns(input: { scheduleId: Uuid | null; limit: number }): Promise<Run[]>;
  runProfiles(input: { runId: Uuid; offset: number; limit: number }): Promise<RunProfilesReply>;

  /** The full value is in this reply and nowhere else. Throws `conflict` (a token of this name). */
  mintToken(input: { name: string; access: Access }): Promise<{ token: string }>;
  listTokens(input: Record<string, never>): Promise<Token[]>;
  /** Throws `not-found`. */
  revokeToken(input: { name: string }): Promise<null>;
  tokenKeys(input: Record<string, never>): Promise<TokenKey[]>;
  /** Notes when tokens were last used. */
  tokensUsed(input: { uses: { name: string; at: DateTime }[] }): Promise<null>;

  readSettings(input: Record<string, never>): Promise<Settings>;
  /** Changes the given settings and answers all. */
  changeSettings(input: { settings: Partial<Settings> }): Promise<Settings>;

  /** Housekeeping at a quiet time: a snapshot when the journal has grown, directories that belong to nothing removed. */
  maintain(input: Record<string, never>): Promise<null>;
  /** Takes a snapshot and releases the data directory; every later call is refused. */
  close(input: Record<string, never>): Promise<null>;
}

/** Parameters that the library thread is started with. */
export interface LibraryConfig {
  dataDir: string;
  /** A backup that the directory, which must be empty, is made of first. */
  restore?: { file: string; passphrase: string | null };
}
