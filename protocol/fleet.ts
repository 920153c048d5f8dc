/** The fleet: several machines that run the parts of one head's runs (actors/fleet/README.md). */
import type { ProfileSpec } from "./profile-spec.ts";
import type { ProxyMeasurement } from "./proxies.ts";
import type { RunProfileOutcome, RunTask } from "./run-task.ts";
import type { Count, Uuid } from "./scalars.ts";

/** Where the fleet meets. */
export interface FleetPlace {
  /** A connection URI of PostgreSQL. */
  postgres: string;
  /** `dir:/absolute/path`, or `s3://bucket/prefix?endpoint=…&region=…`. */
  archives: string;
  /** Of a store in S3, unless each machine has them in its environment. */
  storeKeys?: StoreKeys;
  /** 32 bytes in base64: seals what PostgreSQL stores of parts. */
  key: string;
}

/** An access key of S3. */
export interface StoreKeys {
  id: string;
  secret: string;
  session?: string;
}

/** What a machine keeps of the fleet that it is in, in the file `fleet.json` of its data directory. */
export type FleetMember =
  /** Its library has the profiles and runs. */
  | (FleetPlace & { role: "head"; headId: Uuid; label: string })
  | (FleetPlace & { role: "worker"; name: string; label: string });

export interface FleetMachine {
  dataDir: string;
  chromiumPath: string;
  /** Of Troupe. */
  version: string;
}

export type HeadConfig = Extract<FleetMember, { role: "head" }> & FleetMachine;
/** `guardFd`: the descriptor of the pipe to its guard. */
export type WorkerConfig = Extract<FleetMember, { role: "worker" }> & FleetMachine & { guardFd: number };
export type FleetConfig = HeadConfig | WorkerConfig;

/** What a worker gets of a part, sealed. */
export interface PartSpec {
  spec: ProfileSpec;
  task: RunTask;
  headless: boolean;
  timeoutMs: number;
}

/** What the head gets of its end, sealed. `files` of the outcome are names below the part's directory. */
export interface PartEnding {
  outcome: RunProfileOutcome;
  files: { name: string; archive: StoredArchive }[];
  exit: { host: string; port: number; measurement: ProxyMeasurement } | null;
  worker: string;
}

/** An archive in the store. */
export interface StoredArchive {
  key: string;
  sha256: string;
  bytes: number;
}

/** How far a head is with leaving its fleet. */
export interface FleetLeaving {
  left: boolean;
  /** Runs that go on in the fleet. */
  runs: Count;
  /** Profiles whose newest files are still there. */
  away: Count;
  /** What the next call must wait for; null: nothing. */
  waits: string | null;
}

/** What the fleet does now, for people. */
export interface FleetStatus {
  workers: FleetMachineStatus[];
  parts: { queued: Count; claimed: Count; begun: Count; ended: Count };
  /** Queued parts by what they wait for. */
  waiting: { why: string; count: Count }[];
  profiles: { away: Count; held: Count };
}

export interface FleetMachineStatus {
  name: string;
  label: string;
  platform: string;
  troupe: string;
  engine: Count;
  slots: Count;
  holds: Count;
  /** In words. */
  state: string;
  draining: boolean;
  running: { run_id: string; profile_id: string; state: string }[];
}

/** What the fleet does now, in numbers. */
export interface FleetFigures {
  workers: Count;
  /** Of all workers. */
  slots: Count;
  /** Parts that no worker has yet. */
  waiting: Count;
  /** Parts that a worker has, begun or not. */
  leased: Count;
  /** Of the worker that has been silent for the longest time; null: there is no worker. */
  oldest_beat_secs: Count | null;
}

/** Null figures: PostgreSQL does not answer in time; `trouble` says why. */
export interface FleetHealth {
  figures: FleetFigures | null;
  trouble: string | null;
}

/** The package that only a fleet needs. */
export const fleetPackage = "pg@8.23.1";
/** And the one for archives in S3. */
export const storePackage = "aws4fetch@1.0.20";

/** How to get packages that are not installed with Troupe. All in one command, because npm removes what an earlier such command has installed. */
export const installing = (...packages: string[]) =>
  `in Troupe's directory (cd "$(npm root -g)/troupe") run: npm install --no-save ${packages.join(" ")}`;

export const fleetLimits = {
  /** Between two signs of life of a worker. */
  beatMs: 3_000,
  /** A query without an answer after this has failed. */
  queryMs: 4_000,
  /** A worker's browsers end so long after its last confirmed sign of life, counted from before it was sent. */
  guardMs: 20_000,
  /** A worker ends its browsers when its guard has been silent for so long. */
  guardSilentMs: 10_000,
  guardBeatMs: 1_000,
  /** Nobody else may open a worker's profiles before it has been silent for so long. */
  lostMs: 60_000,
  clockSkewMsMax: 5_000,
  /** So long a part waits for the machine that has its profile's files. */
  affinityMs: 30_000,
  claimsAtOnce: 8,
  lookMs: 2_000,
  /** Health and metrics wait no longer for PostgreSQL. */
  figuresMs: 1_000,
  /** One call that fetches profiles begins no further one after this. */
  leavingMs: 20_000,
} as const;
