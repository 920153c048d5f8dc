/** Datasets of a library, for tests. */
import type {
  CreateDatasetReply,
  DatasetMode,
  DatasetRowsReply,
  NewDatasetColumn,
} from "../../protocol/datasets.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { runInput, saveScript } from "./library.ts";

export function bytesOf(rows: unknown[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(rows));
}

export function newDataset(
  library: LibraryApi,
  mode: DatasetMode,
  columns: NewDatasetColumn[],
  rows: unknown[],
  rowsPerRun: number | null = null,
  name = "Test",
): Promise<CreateDatasetReply> {
  return library.createDataset({ name, mode, columns, rows: bytesOf(rows), rowsPerRun });
}

export async function pageOf(
  library: LibraryApi,
  datasetId: string,
  offset = 0,
  limit = 100,
): Promise<DatasetRowsReply> {
  const { json } = await library.datasetRows({ datasetId, offset, limit });
  return JSON.parse(Buffer.from(json).toString("utf8"));
}

export const accounts = [{ name: "email" }, { name: "password", secret: true }];
export const account = (n: number) => ({ email: `user${n}@example.com`, password: `hush-hush ${n}` });

export async function startRun(library: LibraryApi, profileIds: string[], approved = true) {
  const { scriptId } = await saveScript(library);
  if (approved) await library.approveScript({ scriptId, sha256: null });
  return (await library.createRun(runInput(scriptId, profileIds))).run.id;
}
