/** Reads a CSV file in a worker and sends its rows in slices, so that the page stays responsive. */
import { parse } from "csv-parse/browser/esm/sync";
import type { CsvRow, CsvSaid } from "./csv-file.ts";

const sliceRows = 1_000;

addEventListener("message", ({ data }: MessageEvent<{ file: File; port: MessagePort }>) => {
  const { file, port } = data;
  const say = (said: CsvSaid) => port.postMessage(said);
  read(file, say).catch((error: unknown) => {
    say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  });
});

async function read(file: File, say: (said: CsvSaid) => void): Promise<void> {
  const text = decoded(await file.arrayBuffer());
  const lines: string[][] = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const [header = [], ...body] = lines;
  const columns = header.map((column) => column.trim());
  refuseHeader(columns);
  const rows = body.map((cells, at) => ({ row: at + 1, cells }));
  const fits = ({ cells }: CsvRow) => cells.length === columns.length;
  const badRows = rows
    .filter((row) => !fits(row))
    .map(({ row, cells }) => ({
      row,
      error: `it has ${cells.length} cells, but the header has ${columns.length}`,
    }));
  const good = badRows.length === 0 ? rows : rows.filter(fits);
  for (let at = 0; at < good.length; at += sliceRows) {
    say({ kind: "rows", rows: good.slice(at, at + sliceRows) });
  }
  say({ kind: "read", columns, badRows });
}

function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("The file is not UTF-8 text. Save it as CSV in UTF-8.");
  }
}

function delimiterOf(text: string): string {
  const line = (/^[^\r\n]*/.exec(text)?.[0] ?? "").replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => line.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, other) => (count(other) > count(best) ? other : best));
}

function refuseHeader(columns: string[]): void {
  const unnamed = columns.indexOf("");
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (columns.length === 0) throw new Error("The file is empty.");
  if (unnamed >= 0)
    throw new Error(`The first line must name every column; column ${unnamed + 1} has no name.`);
  if (twice !== undefined)
    throw new Error(`The first line names the column ${twice} twice. Column names must be unique.`);
}
