/** What a script said during its run: output rows and the tail of its log, both within limits. */
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import { parsedObject } from "./messages.ts";

export interface Ledger {
  /** Notes one line; answers what limit it broke, or null. */
  log(level: string, text: string): string | null;
  /** Notes one row, the JSON of an object; answers what limit it broke, or null. */
  output(row: string): string | null;
  rows(): Record<string, unknown>[];
  /** The last lines, each as `level: text`. */
  tail(): string[];
  /** Lines that were logged in all, kept or not. */
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
      logBytes += Buffer.byteLength(text) + 1; // With its end: empty lines are no way to log for ever.
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
        return `the script handed over more than ${limits.scriptOutputRowsMax} rows or ${limits.scriptOutputBytesMax} bytes of output`;
      const excess = jsonExcess(Buffer.from(text));
      if (excess !== null) return `an output row ${excess}`;
      const row = parsedObject(text);
      if (row === null) return "the script handed over an output row that is not an object";
      rows.push(row);
      return null;
    },
    rows: () => rows,
    tail: () => lines,
    count: () => count,
  };
}
