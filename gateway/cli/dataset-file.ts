/** Datasets from CSV files of any length, sent in several calls. */
import { numberedAs, recordsOf } from "../../protocol/read-csv.ts";
import type { Api, Operation } from "./api.ts";
import { parseCsv } from "./csv-file.ts";
import { readGivenBytes } from "./flag-values.ts";

/** The size that `POST /v1/datasets/{id}/rows` recommends. */
const rowsPerCall = 5_000;

export interface FileFlags {
  csv: string;
  secretColumns?: string;
}

interface Reply {
  dataset: { id: string };
  badRows: { row: number; error: string }[];
  added?: number;
}

/** Sends `first`, a create or an append, with the file's first rows, then appends the rest. */
export async function sendFile(api: Api, first: Operation, flags: FileFlags): Promise<unknown> {
  const table = await parseCsv("--csv", await readGivenBytes("--csv", flags.csv));
  const { columns, rows } = table;
  const creates = first.path === "/v1/datasets";
  const secret = new Set((flags.secretColumns ?? "").split(",").map((name) => name.trim()));
  const named = { columns: columns.map((name) => (secret.has(name) ? { name, secret: true } : { name })) };
  const given = { ...(creates ? named : {}), ...first.body };
  const badRows = [...table.badRows];
  let last: Reply | null = null;
  let added = 0;
  for (let from = 0; last === null || from < rows.length; from += rowsPerCall) {
    const sent = rows.slice(from, from + rowsPerCall);
    const body = { rows: recordsOf(columns, sent) };
    last =
      last === null
        ? await api.call<Reply>({ ...first, body: { ...given, ...body } })
        : await api.call<Reply>({ method: "POST", path: `/v1/datasets/${last.dataset.id}/rows`, body });
    badRows.push(...numberedAs(last.badRows, sent));
    added += last.added ?? 0;
  }
  badRows.sort((one, other) => one.row - other.row);
  return { ...(creates ? {} : { added }), badRows, dataset: last.dataset };
}
