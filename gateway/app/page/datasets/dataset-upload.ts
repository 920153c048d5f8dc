/** Sends a file's rows to the service in pieces, and collects the rejected rows. */
import type {
  AppendRowsReply,
  BadRow,
  CreateDatasetBody,
  CreateDatasetReply,
} from "../../../../protocol/datasets.ts";
import { type CsvRow, numberedAs, recordsOf } from "../../../../protocol/read-csv.ts";
import { CallError, post } from "../api.ts";

/** Limits of one request: making its JSON must not block the page. */
const pieceRows = 1_000;
const pieceChars = 1_000_000;

export interface Upload {
  columns: string[];
  rows: CsvRow[];
  onProgress(sent: number): void;
  stopped(): boolean;
}

export interface Uploaded {
  datasetId: string;
  added: number;
  badRows: BadRow[];
}

/** Creates the dataset with the first piece and appends the others. Throws when a call fails. */
export async function uploadNew(upload: Upload, dataset: Omit<CreateDatasetBody, "rows">): Promise<Uploaded> {
  const pieces = piecesOf(upload.rows);
  const first = pieces.next().value ?? [];
  const rows = recordsOf(upload.columns, first);
  const reply = await post<CreateDatasetReply>("/v1/datasets", { ...dataset, rows });
  const uploaded = {
    datasetId: reply.dataset.id,
    added: first.length - reply.badRows.length,
    badRows: numberedAs(reply.badRows, first),
  };
  upload.onProgress(first.length);
  return sendAll(upload, pieces, first.length, uploaded);
}

export function uploadMore(upload: Upload, datasetId: string): Promise<Uploaded> {
  return sendAll(upload, piecesOf(upload.rows), 0, { datasetId, added: 0, badRows: [] });
}

async function sendAll(
  upload: Upload,
  pieces: Iterable<CsvRow[]>,
  already: number,
  uploaded: Uploaded,
): Promise<Uploaded> {
  let sent = already;
  for (const piece of pieces) {
    if (upload.stopped()) break;
    const rows = recordsOf(upload.columns, piece);
    try {
      const reply = await post<AppendRowsReply>(`/v1/datasets/${uploaded.datasetId}/rows`, { rows });
      uploaded.added += reply.added;
      uploaded.badRows.push(...numberedAs(reply.badRows, piece));
    } catch (error) {
      // All rows of this piece are bad; the next piece may still have good ones.
      if (!(error instanceof CallError && error.status === 400)) throw told(error, uploaded.added);
      uploaded.badRows.push(...piece.map(({ row }) => ({ row, error: error.message })));
    }
    sent += piece.length;
    upload.onProgress(sent);
  }
  return uploaded;
}

function told(error: unknown, added: number): Error {
  const why = error instanceof Error ? error.message : String(error);
  return new Error(`${why} (${added.toLocaleString()} rows were added before)`);
}

function* piecesOf(rows: CsvRow[]): Generator<CsvRow[], undefined> {
  let piece: CsvRow[] = [];
  let chars = 0;
  for (const row of rows) {
    const length = row.cells.reduce((sum, cell) => sum + cell.length, 0);
    if (piece.length === pieceRows || (piece.length > 0 && chars + length > pieceChars)) {
      yield piece;
      piece = [];
      chars = 0;
    }
    piece.push(row);
    chars += length;
  }
  if (piece.length > 0) yield piece;
}
