/** A CSV file, with commas, semicolons or tabs, as rows of text under named columns. */
import type { BadRow } from "../../../../protocol/datasets.ts";
import type { CsvRow, CsvTable } from "../../../../protocol/read-csv.ts";

export interface CsvFile extends CsvTable {
  name: string;
}

export type CsvSaid =
  | { kind: "rows"; rows: CsvRow[] }
  | { kind: "read"; columns: string[]; badRows: BadRow[] }
  | { kind: "failed"; message: string };

/** Rejects as `readCsv` throws. */
export function readCsvFile(file: File): Promise<CsvFile> {
  const worker = new Worker("/csv-worker.js", { type: "module" });
  const { port1: port, port2: theirs } = new MessageChannel();
  const rows: CsvRow[] = [];
  const read = new Promise<CsvFile>((resolve, reject) => {
    worker.addEventListener("error", () =>
      reject(new Error("The file could not be read. Reload the page and try again.")),
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
