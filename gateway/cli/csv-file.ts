/** Parses CSV that the command line is given. */
import { type CsvTable, readCsv } from "../../protocol/read-csv.ts";
import { WrongUsage } from "./output.ts";

/** `what` names the flag in messages. Throws `WrongUsage`. */
export async function parseCsv(what: string, bytes: Uint8Array): Promise<CsvTable> {
  const { parse } = await import("csv-parse/sync");
  try {
    return readCsv(bytes, parse);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new WrongUsage(`${what} must be CSV with a header line: ${why}`);
  }
}
