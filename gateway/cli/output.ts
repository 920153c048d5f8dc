/** What the command line writes: results on stdout, troubles on stderr, and the exit code that goes with them. */
import { Fault } from "../../protocol/faults.ts";

/** Exit codes of `troupe`. */
export const exitCodes = { ok: 0, failed: 1, wrongUsage: 2, heldByAnother: 3 } as const;

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function complain(line: string): void {
  process.stderr.write(`troupe: ${line}\n`);
}

/** Rows in columns, under their headings. */
export function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [headings, ...rows].map(line).join("\n");
}

/** The code that a failure ends the command with. */
export function exitCodeOf(error: unknown): number {
  const locked = error instanceof Fault && error.detail?.code === "data-dir-locked";
  return locked ? exitCodes.heldByAnother : exitCodes.failed;
}
