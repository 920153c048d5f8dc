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

/** What the thread that reads a file says of it: slices of its rows, and then the rest or a failure. */
export type CsvSaid =
  | { kind: "rows"; rows: CsvRow[] }
  | { kind: "read"; columns: string[]; badRows: BadRow[] }
  | { kind: "failed"; message: string };

/**
 * Comma, semicolon or tab, whichever the header has most of. Read in a thread of its own (csv-worker.ts). Throws for text
 * that is no UTF-8, a header without names or with one name twice, and quotes that do not close.
 */
export function readCsvFile(file: File): Promise<CsvFile> {
  const worker = new Worker("/csv-worker.js", { type: "module" });
  const { port1: port, port2: theirs } = new MessageChannel();
  const rows: CsvRow[] = [];
  const read = new Promise<CsvFile>((resolve, reject) => {
    worker.addEventListener("error", () =>
      reject(new Error("The file could not be read; load the page again.")),
    );
    port.onmessage = ({ data }: MessageEvent<CsvSaid>) => {
      if (data.kind === "rows") for (const row of data.rows) rows.push(row);
      else if (data.kind === "failed") reject(new Error(data.message));
      else resolve({ name: file.name, columns: data.columns, rows, badRows: data.badRows });
    };
  });
  worker.postMessage({ file, port: theirs }, [theirs]);
  return read.finally(() => worker.terminate());
}
