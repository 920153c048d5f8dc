/** The records that replies are made of (protocol/README.md, "Profile"). Wire names, snake or camel, are the contract's. */
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

/** The proxy of a profile. The password is never part of it. */
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
  /** Names only; the values are never returned. */
  variableNames: string[];
  createdAt: DateTime;
  lastUsed: DateTime | null;
  proxy: ProfileProxy;
  proxyPoolId?: Uuid;
  /** Name of the fixed dataset in the profile's Identity slot. */
  identityDataset?: string;
  /** Name of the consume dataset in the profile's Content slot. */
  contentDataset?: string;
  /** Present on a running profile only: the browser-control (CDP) address. It changes at every start. */
  cdpUrl?: string;
  /** Present when the profile runs without a window. */
  headless?: true;
}

/** A profile without its running state. */
export type StillProfile = Omit<Profile, "status" | "cdpUrl" | "headless">;

/** How many browsers may run at once and how many run now. A launch beyond `max` fails with 409 and is not queued. */
export interface Capacity {
  active: Count;
  max: Count;
  /** Launches of runs and schedules that wait for a slot; launches over the API never wait. */
  queued: Count;
}

/** One run of a script on one or more profiles. */
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
  /** Profiles whose part has ended well. */
  profilesDone: Count;
  profilesFailed: Count;
  startedAt: DateTime;
  completedAt: DateTime | null;
  error: string | null;
}

/** What became of one profile of a run. */
export interface RunProfile {
  profileId: Uuid;
  /** waiting: not started yet; skipped: never started because the run ended first. */
  status: "waiting" | "running" | "completed" | "failed" | "skipped";
  error: string | null;
  startedAt: DateTime | null;
  completedAt: DateTime | null;
  /** What the script's `run` function returned, as JSON; null when it returned nothing. */
  result: unknown;
  /** Rows the script handed to `output`. */
  output: Record<string, unknown>[];
  /** The last lines the script logged. */
  log: string[];
  /** Files the script left in its scratch directory, as absolute paths. */
  files: string[];
  /** Milliseconds from the start of the browser's launch to its answer; null when the profile was running already. */
  launchMs: number | null;
  /**
   * How the script's process was shut in. namespaces: no network and no foreign process exists for it; lock: both are
   * refused inside the process only; null: no process was started.
   */
  isolation: IsolationLevel | null;
}

/** A script in the list, without its source. */
export interface ScriptListing {
  id: Uuid;
  name: string;
  /** Content revision: "1", "2", … */
  version: string;
  mode: "raw" | "dsl";
  /** Who wrote it: saved over the API, or by the user in the application. */
  origin: "api" | "app";
  approved: boolean;
}

/** A Raw script with its source. */
export interface Script extends ScriptListing {
  description: string;
  source: string;
  /** SHA-256 of the source, hexadecimal; approval binds to it. */
  sha256: string;
  createdAt: DateTime;
  updatedAt: DateTime;
}

/** A token as the application lists it; its value is shown once, when it is minted. */
export interface Token {
  name: string;
  access: Access;
  createdAt: DateTime;
  lastUsed: DateTime | null;
}

/** The plan of this installation: what it includes and how much (protocol/README.md, "Authentication" 3 and 5). */
export interface Plan {
  name: string;
  /** The API may be used at all. */
  api: boolean;
  /** Scripts may be saved and run. */
  flow: boolean;
  /** Batch runs and schedules on more than one profile at once. */
  parallelRuns: boolean;
  profilesMax: Count;
  browsersMax: Count;
  schedulesMax: Count;
}

/** The settings of the application. */
export interface Settings {
  apiEnabled: boolean;
  /** 0 lets the system choose a free port at every start. */
  apiPort: number & tags.Type<"uint32"> & tags.Maximum<65535>;
  /** Browsers at once; 0 leaves it to the plan and the machine's memory. */
  browsersMax: Count;
  /** Expensive calls per rolling 60 s and token; 0 switches the budget off. */
  expensiveCallsMax: Count;
  idleTimeoutSecs: Count;
  runProfileTimeoutMs: Count;
  /** Days that files of ended runs are kept, and MiB of all runs together; 0 is no bound. The oldest go first. */
  runFilesKeptDays: Count;
  runFilesMbMax: Count;
  /** The least that the system must wall an unapproved script's process off from; with less it is refused. */
  isolationMin: IsolationLevel;
  /**
   * Services that answer their caller's address, and its place if they can, as JSON or plain text. They are asked through a
   * proxy, in order, until one answers; none: exits are not measured.
   */
  echoUrls: string[];
  /** Absolute path of a local file in MaxMind's format, which fills in what the echo services did not say; null: none. */
  geoFile: string | null;
  plan: Plan;
}
