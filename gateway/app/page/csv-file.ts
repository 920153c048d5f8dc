/** A CSV file of the user's as rows of text under named columns; what does not fit the header is told by number. */
import type { BadRow } from "../../../protocol/datasets.ts";

export interface CsvFile {
  name: string;
  columns: string[];
  rows: CsvRow[];
  /** Rows that have not as many cells as the header. */
  badRows: BadRow[];
}

export interface CsvRow {
  /** Its number in the file, from 1; the header and empty lines do not count. */
  row: number;
  cells: string[];
}

/**
 * Comma, semicolon or tab, whichever the header has most of. The parser is loaded for the first file. Throws for text that
 * is no UTF-8, a header without names or with one name twice, and quotes that do not close.
 */
export async function readCsvFile(file: File): Promise<CsvFile> {
  const { parse } = await import("csv-parse/browser/esm/sync");
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
      error: `it has ${cells.length} cells, and the header has ${columns.length}`,
    }));
  return { name: file.name, columns, rows: badRows.length === 0 ? rows : rows.filter(fits), badRows };
}

function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("The file is not UTF-8 text; save it as CSV in UTF-8.");
  }
}

/** Of the first line, outside of quotes. */
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
  if (twice !== undefined) throw new Error(`Two columns are called ${twice}.`);
}
