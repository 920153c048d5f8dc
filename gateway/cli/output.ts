/** What the command line writes: results on stdout, troubles on stderr, and the exit code that goes with them. */

import { forTerminal } from "../../protocol/clean-text.ts";
import { Fault, faultKinds } from "../../protocol/faults.ts";
import { startFailureOf } from "../start-failures.ts";

/** Exit codes of `troupe`; a start that fails has those of `startFailures`. What the service refuses as invalid is wrong usage as well; `partial`: some profiles of a run failed. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  wrongUsage: 2,
  partial: 4,
  interrupted: 130,
} as const;

/** Where it goes; a test that runs commands in its own process puts others in. */
export const streams: { out: Pick<NodeJS.WriteStream, "write">; err: Pick<NodeJS.WriteStream, "write"> } = {
  out: process.stdout,
  err: process.stderr,
};

/** The command line itself is wrong. The message says how it would be right. */
export class WrongUsage extends Error {}

/** The service's refusal, in its own words. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A result, or a line of JSON. Like all that is written for people, it holds nothing that a terminal acts on. */
export function say(line: string): void {
  streams.out.write(`${forTerminal(line)}\n`);
}

/** What happens meanwhile. */
export function tell(line: string): void {
  streams.err.write(`${forTerminal(line)}\n`);
}

export function complain(line: string): void {
  tell(`troupe: ${line}`);
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

/** What is said of a failure: a fault's text with its prefix, else the message. */
function textOf(error: unknown): string {
  if (error instanceof Fault) {
    return error.kind === "internal" ? error.message : `${faultKinds[error.kind].prefix}: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Says what went wrong, and gives the exit code for it. */
export function failed(error: unknown): number {
  complain(textOf(error));
  return exitCodeOf(error);
}

/** The code that a failure ends the command with. */
function exitCodeOf(error: unknown): number {
  const startFailure = error instanceof Fault ? startFailureOf(error.detail?.code) : null;
  if (startFailure !== null) return startFailure.exit;
  const invalid =
    error instanceof WrongUsage ||
    (error instanceof Fault && error.kind === "invalid") ||
    (error instanceof Refused && (error.status === 400 || error.status === 413));
  return invalid ? exitCodes.wrongUsage : exitCodes.failed;
}
