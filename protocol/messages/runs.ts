/** The run coordinator: which profile of which run starts when, and what became of it. */
import type { Run } from "../records.ts";
import type { RunSource, Uuid } from "../scalars.ts";

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
}

export interface RunsApi {
  /** Creates the run and answers at once; faults as LibraryApi.createRun. `concurrency` 0 means the pool's `max`. */
  start(input: RunRequest): Promise<Run>;
  /** Starts no more profiles, ends the scripts in progress, closes every run's books. */
  close(input: Record<string, never>): Promise<null>;
}

/** Parameters that the runs thread is started with. */
export interface RunsConfig {
  /** Pick up what a crash left behind. */
  resume: boolean;
}
