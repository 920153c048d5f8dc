/** The records in replies (protocol/README.md, "Profile"). Names on the wire are the contract's. */
import type { tags } from "typia";
import type {
  Access,
  Count,
  DateTime,
  IsolationLevel,
  ProfileStatus,
  RunSource,
  RunStatus,
  Uuid,
} from "./scalars.ts";

export interface ProfileProxy {
  enabled: boolean;
  host: string;
  port: number & tags.Type<"uint32"> & tags.Maximum<65535>;
  proxyType: "http" | "socks5" | "residential";
  requiresAuth: boolean;
}

/** A profile as `GET /v1/profiles` lists it. */
export interface Profile {
  id: Uuid;
  name: string;
  /** Lower-case name, non-alphanumerics as `-`, made unique with `-2`, `-3`, … */
  slug: string;
  os: string;
  status: ProfileStatus;
  folder: string | null;
  groups: string[];
  tags: string[];
  /** Names only; values are never returned. */
  variableNames: string[];
  createdAt: DateTime;
  lastUsed: DateTime | null;
  proxy: ProfileProxy;
  proxyPoolId?: Uuid;
  /** Name of the fixed dataset in the profile's Identity slot. */
  identityDataset?: string;
  /** Name of the consume dataset in the profile's Content slot. */
  contentDataset?: string;
  /** Only on a running profile: the browser-control (CDP) address. It changes at every start. */
  cdpUrl?: string;
  /** Only when the profile runs without a window. */
  headless?: true;
}

export type StillProfile = Omit<Profile, "status" | "cdpUrl" | "headless">;

/** How many browsers may run at once, and how many run now. A launch beyond `max` fails with 409, unless `wait_ms` lets it wait. */
export interface Capacity {
  active: Count;
  max: Count;
  /** Launches that wait for a slot: of runs and schedules, and with `wait_ms`. */
  queued: Count;
  /** No browser starts for now, although there may be a free slot. */
  memory_short: boolean;
}

export interface Run {
  id: Uuid;
  /** completed: every profile succeeded; partial: some did; failed: none did, or the run itself broke; skipped: nothing was tried. */
  status: RunStatus;
  /** Who started it; null for a plain REST call. */
  source: RunSource | null;
  scriptId: Uuid | null;
  scheduleId: Uuid | null;
  profileIds: Uuid[];
  profilesTotal: Count;
  /** Profiles that completed. */
  profilesDone: Count;
  profilesFailed: Count;
  startedAt: DateTime;
  completedAt: DateTime | null;
  error: string | null;
}

/** One profile's part of a run. */
export interface RunProfile {
  profileId: Uuid;
  /** waiting: not started yet; skipped: the run ended first. */
  status: "waiting" | "running" | "completed" | "failed" | "skipped";
  error: string | null;
  startedAt: DateTime | null;
  completedAt: DateTime | null;
  /** What the script's `run` function returned, as JSON; null for nothing. */
  result: unknown;
  /** Rows that the script passed to `output`. */
  output: Record<string, unknown>[];
  /** Last lines of the script's log. */
  log: string[];
  /** Absolute paths of files that the script left in its scratch directory. */
  files: string[];
  /** Milliseconds from the launch to the browser's answer; null when the profile was already running. */
  launchMs: number | null;
  /** Isolation of the script's process; null when no process was started. */
  isolation: IsolationLevel | null;
}

/** A script without its source. */
export interface ScriptListing {
  id: Uuid;
  name: string;
  /** Content revision: "1", "2", … */
  version: string;
  mode: "raw" | "dsl";
  /** Saved over the API, or by the user in the application. */
  origin: "api" | "app";
  approved: boolean;
}

/** A script with its source. */
export interface Script extends ScriptListing {
  description: string;
  source: string;
  /** SHA-256 of the source, hexadecimal. An approval is bound to it. */
  sha256: string;
  createdAt: DateTime;
  updatedAt: DateTime;
}

/** The value is shown once, when the token is minted. */
export interface Token {
  name: string;
  access: Access;
  createdAt: DateTime;
  lastUsed: DateTime | null;
}

/** What this installation includes (protocol/README.md, "Authentication"). */
export interface Plan {
  name: string;
  api: boolean;
  /** Scripts may be saved and run. */
  flow: boolean;
  /** Batches and schedules on more than one profile. */
  parallelRuns: boolean;
  profilesMax: Count;
  browsersMax: Count;
  schedulesMax: Count;
}

export interface Settings {
  apiEnabled: boolean;
  /** 0: the system chooses a free port at every start. */
  apiPort: number & tags.Type<"uint32"> & tags.Maximum<65535>;
  /** 0: the plan and the machine's memory decide. */
  browsersMax: Count;
  /** Per rolling 60 s and token; 0 switches the budget off. */
  expensiveCallsMax: Count;
  idleTimeoutSecs: Count;
  /** At least a second: no script ends at once. */
  runProfileTimeoutMs: Count & tags.Minimum<1000>;
  /** A stopped profile keeps the cookies that last for a browser session, so that its logins last. */
  keepSessionCookies: boolean;
  /** Without a window, pages that nobody has used or seen for so long are frozen; 0: never. */
  freezeAfterSecs: Count;
  /** Hosts beside this machine that webhooks may send events to. */
  webhookHosts: string[];
  /** Limits for files of ended runs, all runs together; 0: none. The oldest are removed first. */
  runFilesKeptDays: Count;
  runFilesMbMax: Count;
  /** An unapproved script is refused on a machine that isolates less. */
  isolationMin: IsolationLevel;
  /**
   * Services that report their caller's address, and perhaps its place, as JSON or text. Asked through a proxy, in
   * order; empty: exits are not measured.
   */
  echoUrls: string[];
  /** Absolute path of a MaxMind file for what the echo services did not say; null: none. */
  geoFile: string | null;
  plan: Plan;
}
