/** The rows that scripts output: one table, and CSV for spreadsheets (RFC 4180). */
import type { RunProfile } from "./records.ts";

export interface CsvOptions {
  /** The other columns follow in the order of appearance. */
  first?: readonly string[];
  /** Default true. Without it the rows have exactly the columns of `first`, to follow others. */
  header?: boolean;
  /** Puts `'` before text that a spreadsheet would run as a formula. Default true. */
  escapeFormulas?: boolean;
}

/** Text as it is, null as empty, other values as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Row = Record<string, unknown>;

/** Only the row's own: a script may name a column `toString` or `__proto__`. */
export function ownValue(row: Row, column: string): unknown {
  return Object.hasOwn(row, column) ? row[column] : undefined;
}

/** The output of all parts, with the name of its profile in front. A script's own column `profile` becomes `output.profile`. */
export function outputRows(parts: readonly RunProfile[], nameOf: (profileId: string) => string): Row[] {
  return parts.flatMap(({ profileId, output }) =>
    output.map((row) => {
      const entries = Object.entries(row).map(([column, value]) => [
        column === "profile" ? "output.profile" : column,
        value,
      ]);
      return Object.fromEntries([["profile", nameOf(profileId)], ...entries]);
    }),
  );
}

export function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

export function csvText(
  rows: readonly Row[],
  { first = [], header = true, escapeFormulas = true }: CsvOptions = {},
): string {
  const columns = header ? [...new Set([...first, ...columnsOf(rows)])] : first;
  const written = (value: unknown) => quoted(escapeFormulas ? harmless(value) : cellText(value));
  const lines = [
    ...(header ? [columns] : []),
    ...rows.map((row) => columns.map((column) => ownValue(row, column))),
  ];
  return lines.map((cells) => `${cells.map(written).join(",")}\r\n`).join("");
}

/** Starts of a formula, also in full width and after spaces that some spreadsheets drop. */
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/;
const number = /^[+-]?\d+([.,]\d+)*$/;

function harmless(value: unknown): string {
  const text = cellText(value);
  return typeof value === "string" && formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** Some spreadsheets also split at semicolons and tabs, unless the cell is quoted. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
