/** Reads a CSV file: a header line, then rows of text. The command line and the control page read with this function alone. */
import type { BadRow } from "./datasets.ts";

/** `csv-parse/sync`, of which Node and the page load different builds. */
type Parse = (text: string, options: object) => unknown;

export interface CsvRow {
  /** From 1, without the header and empty lines. */
  row: number;
  cells: string[];
}

export interface CsvTable {
  columns: string[];
  rows: CsvRow[];
  /** Rows whose number of cells differs from the header's. */
  badRows: BadRow[];
}

/**
 * Commas, semicolons and tabs separate, whichever the header has most of. Line ends may be mixed, spaces around names of
 * columns do not count. Throws an Error in words for text that is neither UTF-8 nor marked UTF-16, a missing, empty or
 * repeated name, and a quote that does not close.
 */
export function readCsv(bytes: Uint8Array, parse: Parse): CsvTable {
  const text = decoded(bytes);
  const [header = [], ...body] = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
  }) as string[][]; // Without `columns` and `cast`, it returns cells of text.
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
  return { columns, rows: badRows.length === 0 ? rows : rows.filter(fits), badRows };
}

/** Rows as records by column name. */
export function recordsOf(columns: readonly string[], rows: readonly CsvRow[]): Record<string, string>[] {
  return rows.map(({ cells }) => Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ""])));
}

/** The service numbers the rows of a request; the user knows the numbers in the file. */
export function numberedAs(badRows: readonly BadRow[], sent: readonly CsvRow[]): BadRow[] {
  return badRows.map(({ row, error }) => ({ row: sent[row - 1]?.row ?? row, error }));
}

/** Excel's "Unicode text" is UTF-16 with a mark. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const mark =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : null;
  try {
    return new TextDecoder(mark ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("the file is not UTF-8 text; save it as CSV in UTF-8");
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
  if (columns.length === 0) throw new Error("the file is empty");
  if (unnamed >= 0)
    throw new Error(`the first line must name every column; column ${unnamed + 1} has no name`);
  if (twice !== undefined) throw new Error(`the first line names the column ${twice} twice`);
}
