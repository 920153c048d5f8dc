/** What the library may be asked about datasets. Rows cross threads as the bytes of their JSON: one copy, no thousands of objects. */
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

/** The part of LibraryApi that is about datasets. Every call that names a dataset throws `not-found` when there is none. */
export interface DatasetsApi {
  listDatasets(input: Record<string, never>): Promise<Dataset[]>;
  /** `rows` is a JSON array. Throws `invalid` (two columns of one name, `rowsPerRun` with mode fixed, only bad rows). */
  createDataset(input: {
    name: string;
    mode: DatasetMode;
    columns: NewDatasetColumn[];
    rows: Uint8Array;
    /** null: not given. */
    rowsPerRun: Count | null;
  }): Promise<CreateDatasetReply>;
  /** `rows` is a JSON array. Throws `invalid` (only bad rows). */
  appendRows(input: { datasetId: Uuid; rows: Uint8Array }): Promise<AppendRowsReply>;
  /** The JSON bytes of a DatasetRowsReply. */
  datasetRows(input: { datasetId: Uuid; offset: Count; limit: Count }): Promise<{ json: Uint8Array }>;
  /** All or nothing. Throws `conflict` (a profile does not exist, its slot is taken, too few unassigned rows). */
  assignDataset(input: { datasetId: Uuid; profileIds: Uuid[]; force: boolean }): Promise<AssignDatasetReply>;
  /** Throws `conflict` (a profile does not exist). */
  unassignDataset(input: { datasetId: Uuid; profileIds: Uuid[] }): Promise<UnassignDatasetReply>;
  /** Throws `invalid` for a fixed dataset. */
  resetDataset(input: { datasetId: Uuid }): Promise<ResetDatasetReply>;
}
