/** Rows as a CSV file that spreadsheets read (RFC 4180). */

export interface CsvOptions {
  /** Columns that come first; the others follow in the order in which they first appear. */
  first?: readonly string[];
  /** Puts `'` before what a spreadsheet would run as a formula. Default: true. */
  escapeFormulas?: boolean;
}

/** A value as one reads it in a cell: text as it is, what is neither text nor nothing as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The keys of all rows, in the order in which they first appear. */
export function columnsOf(rows: readonly Record<string, unknown>[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** A header line of all keys, then the rows. */
export function csvText(
  rows: readonly Record<string, unknown>[],
  { first = [], escapeFormulas = true }: CsvOptions = {},
): string {
  const columns = [...new Set([...first, ...columnsOf(rows)])];
  const written = (value: unknown) => quoted(escapeFormulas ? harmless(value) : cellText(value));
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(written).join(",")}\r\n`).join("");
}

/** What spreadsheets begin a formula with, in full width too, and the blanks that some drop before it. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/;
/** A signed number is none. */
const number = /^[+-]?\d+([.,]\d+)*$/;

function harmless(value: unknown): string {
  const text = cellText(value);
  return typeof value === "string" && formula.test(text) && !number.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
