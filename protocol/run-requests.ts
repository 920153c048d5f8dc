/** Requests and replies of runs (protocol/README.md, "Scripts, runs"). */
import type { tags } from "typia";
import type { Run, RunProfile } from "./records.ts";
import type { Count, Placement, Text, Uuid } from "./scalars.ts";

export interface RunScriptBody {
  script_id: Uuid;
  /** At least one profile. An id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /** The script's `variables`; they override the profile's stored ones. */
  variables?: Record<string, string>;
  /** Opens this run's browsers without a window. */
  headless?: boolean;
}

export interface BatchBody {
  /** An approved script. */
  script_id: Uuid;
  /** At least one profile. An id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /** Profiles driven at the same time, from 1 to the browser pool's `max` (the default). */
  concurrency?: number & tags.Type<"uint32"> & tags.Minimum<1>;
  /** Least time between two starts, in milliseconds. */
  stagger_ms?: number & tags.Type<"uint32"> & tags.Maximum<600000>;
  /** The script's `variables`; they override the profile's stored ones. */
  variables?: Record<string, string>;
  /** Where the profiles run: on this machine, or on the machines of a fleet. Default auto: in the fleet when it is on. */
  placement?: Placement;
  /** Starts nothing, and answers what would be refused. */
  dry_run?: boolean;
}

/** The reply to a batch with `dry_run`. */
export interface BatchRehearsal {
  /** Profiles that would start. */
  ready: Count;
  refused: { profile_id: Uuid; error: string }[];
}

/** With `dry_run` a BatchRehearsal. */
export type BatchReply = Run | BatchRehearsal;

export interface RunProfileParams {
  id: Uuid;
  profile_id: Uuid;
}

export interface RunFileParams extends RunProfileParams {
  /** As listed; a slash in it is written %2F. */
  name: Text;
}

/** A file that a script kept with its part of a run. */
export interface RunFile {
  /** Its path below the part's directory. */
  name: string;
  bytes: Count;
}

export interface RunOutputQuery {
  /** Default jsonl. */
  format?: "jsonl" | "csv";
}

export interface RunLogQuery {
  /** Sends them as server-sent events until the run ends. */
  follow?: boolean;
}

/** The data of an event `log`. */
export interface RunLogEvent {
  profile_id: Uuid;
  /** As `level: text`. */
  lines: string[];
  /** How many lines the profile has written so far. */
  count: Count;
}

export interface RetryRunBody {
  /** Only profiles that ended so. Default: all that did not complete. */
  only?: "failed" | "skipped" | "interrupted";
}

export interface ListRunsQuery {
  /** Only runs of this schedule. */
  schedule_id?: Uuid;
  /** Newest first. Default 20. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100>;
}

export interface RunProfilesQuery {
  /** Profiles to skip. Default 0. */
  offset?: Count;
  /** Default 100. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
  /** Only profiles in this state; `offset` counts them. Default: all. */
  status?: RunProfile["status"];
}

export interface RunProfilesReply {
  run: Run;
  /** In the order of the run's profiles. */
  profiles: RunProfile[];
}

export interface RunShapes {
  BatchBody: BatchBody;
  ListRunsQuery: ListRunsQuery;
  RetryRunBody: RetryRunBody;
  RunLogQuery: RunLogQuery;
  RunFileParams: RunFileParams;
  RunOutputQuery: RunOutputQuery;
  RunProfileParams: RunProfileParams;
  RunProfilesQuery: RunProfilesQuery;
  RunScriptBody: RunScriptBody;
}
