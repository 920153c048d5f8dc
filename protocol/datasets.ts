/** Datasets: tables of rows for profiles and runs (protocol/README.md, "Datasets"). */
import type { tags } from "typia";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

/** fixed: each profile gets one row and keeps it (Identity slot). consume: each run takes rows, which are not used again (Content slot). */
export type DatasetMode = "fixed" | "consume";

/** fixed: unassigned, assigned. consume: available, reserved (by a run), used. */
export type RowState = "unassigned" | "assigned" | "available" | "reserved" | "used";

export interface DatasetColumn {
  name: string;
  /** Sealed on disk, never returned, given only to approved scripts. */
  secret: boolean;
}

/** Rows in each state; 0 for the states of the other mode. */
export interface RowCounts {
  total: Count;
  /** fixed: without a profile. */
  unassigned: Count;
  /** fixed: with a profile. */
  assigned: Count;
  /** consume: ready for the next runs. */
  available: Count;
  /** consume: taken by a run in progress. */
  reserved: Count;
  /** consume: a profile's part of a run completed with it. */
  used: Count;
}

/** A dataset as listed: columns and counts, never values of rows. */
export interface Dataset {
  id: Uuid;
  name: string;
  mode: DatasetMode;
  columns: DatasetColumn[];
  /** consume: rows that a profile's part of a run takes, fewer if fewer are left. null for fixed. */
  rowsPerRun: Count | null;
  rows: RowCounts;
  /** Number of profiles with this dataset. */
  profiles: Count;
  createdAt: DateTime;
}

export interface DatasetRow {
  /** Number in the dataset, from 1. It never changes. */
  row: Count;
  state: RowState;
  /** The profile that has it (assigned), or whose part of a run has it (reserved). */
  profileId: Uuid | null;
  /** The run that has it (reserved). */
  runId: Uuid | null;
  /** Values by column name, without secret columns. */
  values: Record<string, string>;
}

export interface BadRow {
  /** Number in the request, from 1. */
  row: Count;
  /** What is wrong, without the values. */
  error: string;
}

export interface NewDatasetColumn {
  /** Unique in the dataset. */
  name: string & tags.MinLength<1> & tags.MaxLength<64>;
  /** Sealed on disk, never returned, given only to approved scripts. Default false. */
  secret?: boolean;
}

/**
 * A row: an object with every column and no other key. Values are strings of up to 64 KiB; convert numbers and dates to
 * text before sending.
 */
export type NewDatasetRow = Record<string, unknown>;

export interface CreateDatasetBody {
  name: Text & tags.MaxLength<200>;
  mode: DatasetMode;
  columns: NewDatasetColumn[] & tags.MinItems<1> & tags.MaxItems<100>;
  /** The first rows. Bad ones are reported by number and left out; if all are bad, nothing is created. */
  rows?: NewDatasetRow[] & tags.MaxItems<100000>;
  /** Only with mode consume: rows that a profile's part of a run takes. Default 1. */
  rows_per_run?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100>;
}

export interface CreateDatasetReply {
  dataset: Dataset;
  badRows: BadRow[];
}

export interface AppendRowsBody {
  /** Bad rows are reported by number and left out; if all are bad, the call answers 400. */
  rows: NewDatasetRow[] & tags.MinItems<1> & tags.MaxItems<100000>;
}

export interface AppendRowsReply {
  added: Count;
  badRows: BadRow[];
  dataset: Dataset;
}

export interface DatasetRowsQuery {
  /** Rows to skip. Default 0. */
  offset?: Count;
  /** Maximum number of rows. Default 100. A page of large values ends early, at 16 MiB. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
}

export interface DatasetRowsReply {
  /** Rows in the dataset. */
  total: Count;
  /** In the order they were added. */
  rows: DatasetRow[];
}

export interface AssignDatasetBody {
  /** All of them or none. An id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /**
   * Replaces the dataset in a profile's slot, whose fixed row becomes unassigned. A profile that already has this
   * dataset keeps its row. Default false: an occupied slot refuses the call.
   */
  force?: boolean;
}

export interface DatasetAssignment {
  profileId: Uuid;
  /** fixed: number of the row that the profile has now. null for consume. */
  row: Count | null;
}

export interface AssignDatasetReply {
  /** In the order of the request. */
  assigned: DatasetAssignment[];
  dataset: Dataset;
}

export interface UnassignDatasetBody {
  /** Profiles without the dataset are skipped. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
}

export interface UnassignDatasetReply {
  /** The profiles that had it. */
  unassigned: Uuid[];
  dataset: Dataset;
}

export interface ResetDatasetReply {
  /** Number of rows that are available again. */
  reset: Count;
  dataset: Dataset;
}

export interface DatasetShapes {
  CreateDatasetBody: CreateDatasetBody;
  AppendRowsBody: AppendRowsBody;
  DatasetRowsQuery: DatasetRowsQuery;
  AssignDatasetBody: AssignDatasetBody;
  UnassignDatasetBody: UnassignDatasetBody;
}
