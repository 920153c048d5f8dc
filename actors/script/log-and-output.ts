/** A script's output rows and the end of its log, both within limits. */
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import { parsedObject } from "./messages.ts";

export interface Ledger {
  /** Adds a line. Returns the limit that it exceeds, or null. */
  log(level: string, text: string): string | null;
  /** Adds a row, the JSON of an object. Returns the limit that it exceeds, or null. */
  output(row: string): string | null;
  rows(): Record<string, unknown>[];
  tail(): string[];
  count(): number;
}

/** @param logged called after each line */
export function createLedger(logged: () => void = () => {}): Ledger {
  const lines: string[] = [];
  const rows: Record<string, unknown>[] = [];
  let count = 0;
  let logBytes = 0;
  let outputBytes = 0;
  return {
    log(level, text) {
      logBytes += Buffer.byteLength(text) + 1; // Count the line end, so that empty lines reach the limit too.
      if (logBytes > limits.scriptLogBytesMax)
        return `the script logged more than ${limits.scriptLogBytesMax} bytes`;
      lines.push(`${level.slice(0, 16)}: ${text.slice(0, limits.scriptLogLineCharsMax)}`);
      if (lines.length > limits.scriptLogTailLinesMax) lines.shift();
      count += 1;
      logged();
      return null;
    },
    output(text) {
      outputBytes += Buffer.byteLength(text);
      if (rows.length >= limits.scriptOutputRowsMax || outputBytes > limits.scriptOutputBytesMax)
        return `the script output more than ${limits.scriptOutputRowsMax} rows or ${limits.scriptOutputBytesMax} bytes`;
      const excess = jsonExcess(Buffer.from(text));
      if (excess !== null) return `an output row ${excess}`;
      const row = parsedObject(text);
      if (row === null) return "an output row is not an object";
      rows.push(row);
      return null;
    },
    rows: () => rows,
    tail: () => lines,
    count: () => count,
  };
}
