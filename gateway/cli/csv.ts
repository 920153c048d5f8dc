/** Parses CSV: a header line, then rows of text. */
import { WrongUsage } from "./output.ts";

export interface CsvTable {
  columns: string[];
  rows: Record<string, string>[];
}

/** `what` names the flag in messages. Throws `WrongUsage`. */
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
      `${what} must be CSV with a header line: ${error instanceof Error ? error.message : error}`,
    );
  }
}
