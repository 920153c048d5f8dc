/** The library's calls about datasets. Rows cross threads as JSON bytes: one copy, not thousands of objects. */
import type {
  AppendRowsReply,
  AssignDatasetReply,
  CreateDatasetReply,
  Dataset,
  DatasetMode,
  NewDatasetColumn,
  ResetDatasetReply,
  UnassignDatasetReply,
} from "../datasets.ts";
import type { Count, Uuid } from "../scalars.ts";

/** A call that names a dataset throws `not-found` when there is none. */
export interface DatasetCalls {
  listDatasets(input: Record<string, never>): Promise<Dataset[]>;
  /** `rows` is a JSON array. Throws `invalid` (two columns of one name, `rowsPerRun` with mode fixed, only bad rows). */
  createDataset(input: {
    name: string;
    mode: DatasetMode;
    columns: NewDatasetColumn[];
    rows: Uint8Array;
    rowsPerRun: Count | null;
  }): Promise<CreateDatasetReply>;
  /** `rows` is a JSON array. Throws `invalid` (only bad rows). */
  appendRows(input: { datasetId: Uuid; rows: Uint8Array }): Promise<AppendRowsReply>;
  /** JSON bytes of a DatasetRowsReply. */
  datasetRows(input: { datasetId: Uuid; offset: Count; limit: Count }): Promise<{ json: Uint8Array }>;
  /** All or none. Throws `conflict` (a profile does not exist, its slot is occupied, too few unassigned rows). */
  assignDataset(input: { datasetId: Uuid; profileIds: Uuid[]; force: boolean }): Promise<AssignDatasetReply>;
  /** Throws `conflict` (a profile does not exist). */
  unassignDataset(input: { datasetId: Uuid; profileIds: Uuid[] }): Promise<UnassignDatasetReply>;
  /** Throws `invalid` for a fixed dataset. */
  resetDataset(input: { datasetId: Uuid }): Promise<ResetDatasetReply>;
  /** With its rows. Throws `conflict` (a profile has it, or a run has reserved rows). */
  deleteDataset(input: { datasetId: Uuid }): Promise<null>;
}
