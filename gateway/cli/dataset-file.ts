/** Datasets from CSV files of any length, sent in several calls. */
import type { Api, Operation } from "./api.ts";
import { parseCsv } from "./csv.ts";
import { readGiven } from "./flag-values.ts";

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
  const { columns, rows } = await parseCsv("--csv", await readGiven("--csv", flags.csv));
  const creates = first.path === "/v1/datasets";
  const secret = new Set((flags.secretColumns ?? "").split(",").map((name) => name.trim()));
  const named = { columns: columns.map((name) => (secret.has(name) ? { name, secret: true } : { name })) };
  const given = { ...(creates ? named : {}), ...first.body };
  const reply = await api.call<Reply>({ ...first, body: { ...given, rows: rows.slice(0, rowsPerCall) } });
  const path = `/v1/datasets/${reply.dataset.id}/rows`;
  const badRows = [...reply.badRows];
  let { dataset, added } = reply;
  for (let from = rowsPerCall; from < rows.length; from += rowsPerCall) {
    const more = await api.call<Reply>({
      method: "POST",
      path,
      body: { rows: rows.slice(from, from + rowsPerCall) },
    });
    badRows.push(...more.badRows.map(({ row, error }) => ({ row: row + from, error })));
    dataset = more.dataset;
    if (added !== undefined) added += more.added ?? 0;
  }
  return { ...(added === undefined ? {} : { added }), badRows, dataset };
}
