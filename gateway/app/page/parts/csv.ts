/** Rows as a CSV file that spreadsheets read (RFC 4180), and its download. */

export type Row = Record<string, unknown>;

/** The keys of all rows, in the order in which they first appear. */
export function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** A value as one reads it in a cell: text as it is, what is neither text nor number nor nothing as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function csvText(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [columns, ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  return lines.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

/** Hands a file to the user, as a click on a link to it does. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
