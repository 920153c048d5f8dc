/** Datasets: tables of rows that profiles and runs are given, and the calls about them (protocol/README.md, "Datasets"). */
import type { tags } from "typia";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

/**
 * fixed: each profile is given one row and keeps it (its Identity slot). consume: each run takes rows, and used ones are
 * not given again (its Content slot).
 */
export type DatasetMode = "fixed" | "consume";

/** Of a row. fixed: unassigned, assigned. consume: available, reserved (a run holds it), used. */
export type RowState = "unassigned" | "assigned" | "available" | "reserved" | "used";

/** A column of a dataset. */
export interface DatasetColumn {
  name: string;
  /** Sealed on disk, never returned, handed to approved scripts only. */
  secret: boolean;
}

/** How many rows are in each state; those that the mode does not know are 0. */
export interface RowCounts {
  total: Count;
  /** fixed: no profile has it. */
  unassigned: Count;
  /** fixed: a profile has it. */
  assigned: Count;
  /** consume: the next runs take it. */
  available: Count;
  /** consume: a run that is going on holds it. */
  reserved: Count;
  /** consume: a profile's part of a run completed with it. */
  used: Count;
}

/** A dataset as it is listed: columns and counts, never a row's values. */
export interface Dataset {
  id: Uuid;
  name: string;
  mode: DatasetMode;
  /** In the order they were given. */
  columns: DatasetColumn[];
  /** consume: rows that a profile's part of a run takes, or as many as are left. null for fixed. */
  rowsPerRun: Count | null;
  rows: RowCounts;
  /** Profiles that it is assigned to. */
  profiles: Count;
  createdAt: DateTime;
}

/** One row on a page. */
export interface DatasetRow {
  /** Its number in the dataset, from 1; it never changes. */
  row: Count;
  state: RowState;
  /** Who has it (assigned), or whose part of a run holds it (reserved). */
  profileId: Uuid | null;
  /** The run that holds it (reserved). */
  runId: Uuid | null;
  /** Values by column name; secret columns are left out. */
  values: Record<string, string>;
}

/** A row that was not taken. */
export interface BadRow {
  /** Its number in the request, from 1. */
  row: Count;
  /** What is wrong with it; no value is repeated. */
  error: string;
}

/** A column as it is given. */
export interface NewDatasetColumn {
  /** Unique in the dataset. */
  name: string & tags.MinLength<1> & tags.MaxLength<64>;
  /** Sealed on disk, never returned, handed to approved scripts only. Default false. */
  secret?: boolean;
}

/**
 * A row: an object keyed by column name. It has every column and no other key; every value is a string of up to 64 KiB
 * (numbers and dates are converted to text before sending).
 */
export type NewDatasetRow = Record<string, unknown>;

/** `POST /v1/datasets`. */
export interface CreateDatasetBody {
  name: Text & tags.MaxLength<200>;
  mode: DatasetMode;
  columns: NewDatasetColumn[] & tags.MinItems<1> & tags.MaxItems<100>;
  /** The first rows. Bad ones are reported by number and left out; when all are bad nothing is created. */
  rows?: NewDatasetRow[] & tags.MaxItems<100000>;
  /** Only with mode consume: rows that a profile's part of a run takes. Default 1. */
  rows_per_run?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<100>;
}

export interface CreateDatasetReply {
  dataset: Dataset;
  badRows: BadRow[];
}

/** `POST /v1/datasets/{id}/rows`. */
export interface AppendRowsBody {
  /** Bad ones are reported by number and left out; when all are bad the call answers 400. */
  rows: NewDatasetRow[] & tags.MinItems<1> & tags.MaxItems<100000>;
}

export interface AppendRowsReply {
  /** Rows that were taken. */
  added: Count;
  badRows: BadRow[];
  dataset: Dataset;
}

/** `GET /v1/datasets/{id}/rows`. */
export interface DatasetRowsQuery {
  /** Skips this many rows; default 0. */
  offset?: Count;
  /** How many at most; default 100. A page of large values ends early, at 16 MiB. */
  limit?: number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<1000>;
}

export interface DatasetRowsReply {
  /** Rows of the dataset. */
  total: Count;
  /** In the order they were added. */
  rows: DatasetRow[];
}

/** `POST /v1/datasets/{id}/assign`. */
export interface AssignDatasetBody {
  /** The profiles, all of them or none; an id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /**
   * Replaces what the slot of a profile holds, whose fixed row becomes unassigned. A profile that has this dataset already
   * keeps its row. Default false: a taken slot refuses the call.
   */
  force?: boolean;
}

export interface DatasetAssignment {
  profileId: Uuid;
  /** fixed: the number of the row that the profile has now. null for consume. */
  row: Count | null;
}

export interface AssignDatasetReply {
  /** In the order the profiles were given. */
  assigned: DatasetAssignment[];
  dataset: Dataset;
}

/** `POST /v1/datasets/{id}/unassign`. */
export interface UnassignDatasetBody {
  /** The profiles; those that do not have the dataset are passed over. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
}

export interface UnassignDatasetReply {
  /** The profiles that had it. */
  unassigned: Uuid[];
  dataset: Dataset;
}

/** `POST /v1/datasets/{id}/reset`. */
export interface ResetDatasetReply {
  /** Rows that were used and are available again. */
  reset: Count;
  dataset: Dataset;
}

/** Request shapes of this area, for RequestShapes. */
export interface DatasetShapes {
  CreateDatasetBody: CreateDatasetBody;
  AppendRowsBody: AppendRowsBody;
  DatasetRowsQuery: DatasetRowsQuery;
  AssignDatasetBody: AssignDatasetBody;
  UnassignDatasetBody: UnassignDatasetBody;
}
