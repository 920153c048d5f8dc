/** Reads a CSV file in a worker and sends its rows in slices, so that the page stays responsive. */
import { parse } from "csv-parse/browser/esm/sync";
import { readCsv } from "../../../../protocol/read-csv.ts";
import type { CsvSaid } from "./csv-file.ts";

const sliceRows = 1_000;

addEventListener("message", ({ data }: MessageEvent<{ file: File; port: MessagePort }>) => {
  const { file, port } = data;
  const say = (said: CsvSaid) => port.postMessage(said);
  read(file, say).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    say({ kind: "failed", message: `${why[0]?.toUpperCase()}${why.slice(1)}.` });
  });
});

async function read(file: File, say: (said: CsvSaid) => void): Promise<void> {
  const { columns, rows, badRows } = readCsv(new Uint8Array(await file.arrayBuffer()), parse);
  for (let at = 0; at < rows.length; at += sliceRows)
    say({ kind: "rows", rows: rows.slice(at, at + sliceRows) });
  say({ kind: "read", columns, badRows });
}
