/** Stateless CPU work on task threads (piscina). */

import type { Fingerprint, HostDevice } from "../fingerprint.ts";
import type { ArchivedProfile } from "../profile-copies.ts";
import type { ExitSources, ProxyMeasurement, ProxyUpstream } from "../proxies.ts";
import type { Count, DateTime, IsolationLevel, ProfileOs, ScriptLibrary } from "../scalars.ts";
import type { OriginState } from "../storage-state.ts";

export interface Violation {
  line: number;
  rule: string;
  message: string;
}

/** The reply of `POST /v1/dsl/compile`, and more for the application. */
export interface CompiledDsl {
  code: string;
  nodeCount: number;
  target: ScriptLibrary;
  warnings: string[];
  name: string | null;
  /** The document made from a recording; null when a document was given. */
  converted: Record<string, unknown> | null;
}

/** `missing`: what this system does not isolate, and the remedy. */
export interface ProbedIsolation {
  level: IsolationLevel;
  missing: string | null;
  summary: string;
}

/** Tasks of a worker of a fleet. */
export interface ArchiveTasks {
  /** Writes the archive of a closed profile. Throws `conflict` when it is open. */
  packProfile(input: {
    file: string;
    userDataDir: string;
    profile: ArchivedProfile;
    createdAt: DateTime;
  }): Promise<{ engine: string | null }>;
  /** Unpacks an archive whose checksum was checked: its files become the new directory `userDataDir`. Throws `invalid` (of a later release). */
  unpackProfile(input: { file: string; userDataDir: string }): Promise<null>;
}

/** Tasks of operations. */
export interface ProfileTasks {
  /** In the order of `upstreams`; gives one up after `deadlineMs`. `sources.timeoutMs` is per echo service. */
  measureExits(input: {
    upstreams: ProxyUpstream[];
    sources: ExitSources;
    deadlineMs: number;
    concurrency: number;
  }): Promise<{ measurements: ProxyMeasurement[] }>;
  /** No two alike, and none like those in `taken` while the data has others. `host` is the machine that shows them. */
  sampleDevices(input: {
    os: ProfileOs;
    count: Count;
    host: HostDevice;
    taken: string[];
  }): Promise<{ devices: Fingerprint[] }>;
  /** What sites store in a profile that runs. `origins`: sites to look at beside those in its files. */
  readOrigins(input: {
    cdpUrl: string;
    userDataDir: string;
    origins: string[];
  }): Promise<{ origins: OriginState[] }>;
  /** Replaces it, and removes all cookies. Throws `invalid` (the state). */
  writeOrigins(input: {
    cdpUrl: string;
    userDataDir: string;
    origins: string[];
    state: OriginState[];
  }): Promise<null>;
}

/** Tasks of the gateway. */
export interface ScriptTasks {
  /** Sorted by line, then rule; at most 100. `library` follows from the imports. */
  checkContract(input: { source: string }): Promise<{ violations: Violation[]; library: ScriptLibrary }>;
  /** Takes a DSL document or a DevTools recording. Throws `invalid`: one line per problem, with JSON Pointer and block. */
  compileDsl(input: { dsl: Record<string, unknown>; target: ScriptLibrary }): Promise<CompiledDsl>;
  dslSchema(input: Record<string, never>): Promise<{ dslVersion: string; schema: Record<string, unknown> }>;
  /** How far this machine can isolate a script's process. */
  probeIsolation(input: Record<string, never>): Promise<ProbedIsolation>;
}

export interface TasksApi extends ProfileTasks, ScriptTasks, ArchiveTasks {}

/** They mostly wait for the network or another process: they run concurrently on a thread of their own, so that they delay no computing task. */
export const waitingTasks: readonly (keyof TasksApi)[] = [
  "measureExits",
  "probeIsolation",
  "readOrigins",
  "writeOrigins",
];
