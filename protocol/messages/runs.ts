/** The run coordinator: starts each profile's part of a run and records its end. */
import { limits } from "../limits.ts";
import type { Run } from "../records.ts";
import type { RunSource, Uuid } from "../scalars.ts";
import type { DueTime } from "../schedules.ts";
import type { Deadlines } from "./deadlines.ts";

export interface RunRequest {
  scriptId: Uuid;
  profileIds: Uuid[];
  variables: Record<string, string>;
  headless: boolean;
  /** Batches and schedules need an approved script. */
  batch: boolean;
  /** 0 means the browser pool's `max`. */
  concurrency: number;
  staggerMs: number;
  source: RunSource | null;
  scheduleId: Uuid | null;
  /** A retry with the same key and request gets the first one's run. */
  idempotency?: { tokenName: string; key: string };
}

export interface RunsApi {
  /** Creates the run and returns at once. Faults as LibraryApi.createRun. */
  start(input: RunRequest): Promise<Run>;
  /** The run of a due schedule, or with `due` null one that the user asks for; null when not due. Faults as LibraryApi.fireSchedule. */
  startScheduled(input: { scheduleId: Uuid; due: DueTime | null }): Promise<Run | null>;
  /** Skips waiting profiles and ends scripts within seconds. Returns an ended run as it is. Throws `not-found`. */
  cancel(input: { runId: Uuid }): Promise<Run>;
  /** Profiles that the run drives or waits to open. */
  working(input: { runId: Uuid }): Promise<{ profileIds: Uuid[] }>;
  /** The service's own ports, which no script's browser may reach. */
  ownPorts(input: { ports: number[] }): Promise<null>;
  /** Starts no more profiles, ends running scripts, and ends every run. */
  close(input: Record<string, never>): Promise<null>;
}

export const runsDeadlines = { close: limits.serviceStopMs } satisfies Deadlines<RunsApi>;

export interface RunsConfig {
  /** Continue runs that a crash interrupted. */
  resume: boolean;
  ownPorts: number[];
}
