/** The run coordinator: which profile of which run starts when, and what became of it. */
import type { Run } from "../records.ts";
import type { RunSource, Uuid } from "../scalars.ts";
import type { DueTime } from "../schedules.ts";

/** A run that somebody asks for. */
export interface RunRequest {
  scriptId: Uuid;
  profileIds: Uuid[];
  /** They win over stored variables. */
  variables: Record<string, string>;
  headless: boolean;
  /** A batch or a schedule needs an approved script. */
  batch: boolean;
  /** 0 means the browser pool's `max`. */
  concurrency: number;
  staggerMs: number;
  source: RunSource | null;
  scheduleId: Uuid | null;
  /** A retry with the same key and the same request is answered with the run that the first one started. */
  idempotency?: { tokenName: string; key: string };
}

export interface RunsApi {
  /** Creates the run and answers at once; faults as LibraryApi.createRun. `concurrency` 0 means the pool's `max`. */
  start(input: RunRequest): Promise<Run>;
  /**
   * Makes and starts the run of a schedule whose time has come, or, with `due` null, whose user asks for it; a run that is
   * skipped is answered as it is. Null when the time is not due any more. Faults as LibraryApi.fireSchedule.
   */
  startScheduled(input: { scheduleId: Uuid; due: DueTime | null }): Promise<Run | null>;
  /**
   * Ends a run early: profiles that wait are skipped, scripts in progress end within seconds, and what was done stays.
   * A run that has ended is answered as it is. Throws `not-found`.
   */
  cancel(input: { runId: Uuid }): Promise<Run>;
  /** Profiles that this run drives now, or waits to open; none when it has ended. */
  working(input: { runId: Uuid }): Promise<{ profileIds: Uuid[] }>;
  /** The service's own ports, which no script may lead its browser to. */
  ownPorts(input: { ports: number[] }): Promise<null>;
  /** Starts no more profiles, ends the scripts in progress, closes every run's books. */
  close(input: Record<string, never>): Promise<null>;
}

/** Parameters that the runs thread is started with. */
export interface RunsConfig {
  /** Pick up what a crash left behind. */
  resume: boolean;
  /** The service's own ports by now. */
  ownPorts: number[];
}
