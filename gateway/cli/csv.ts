/** CSV in and out: a header line, then rows of text. */
import { WrongUsage } from "./output.ts";

export interface CsvTable {
  columns: string[];
  rows: Record<string, string>[];
}

/** `what` names the file's flag in a message. Throws `WrongUsage`. */
export async function parseCsv(what: string, text: string): Promise<CsvTable> {
  const { parse } = await import("csv-parse/sync");
  try {
    const [columns = [], ...lines]: string[][] = parse(text, { bom: true, skip_empty_lines: true });
    const twice = columns.find((column, at) => columns.indexOf(column) !== at);
    if (columns.length === 0) throw new Error("it has no header line");
    if (twice !== undefined) throw new Error(`two columns are called ${twice}`);
    const rows = lines.map((line) =>
      Object.fromEntries(columns.map((column, at) => [column, line[at] ?? ""])),
    );
    return { columns, rows };
  } catch (error) {
    throw new WrongUsage(
      `${what} is not CSV with a header line: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Rows under the header of all their keys, in the order in which they first appear. What is not text is JSON. */
export function formatCsv(rows: readonly Record<string, unknown>[], first: readonly string[] = []): string {
  const columns = [...new Set([...first, ...rows.flatMap(Object.keys)])];
  const lines = rows.map((row) => columns.map((column) => cellOf(row[column])));
  return `${[columns.map(cellOf), ...lines].map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
