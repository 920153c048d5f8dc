/** What the command line writes: results to stdout, problems to stderr, and exit codes. */
import stringWidth from "string-width";
import { forTerminal } from "../../protocol/clean-text.ts";
import { Fault, faultKinds } from "../../protocol/faults.ts";
import { startFailureOf } from "../start-failures.ts";

/** Beside the codes of `startFailures`. A request that the service refuses as invalid counts as wrong usage. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  wrongUsage: 2,
  partial: 4,
  interrupted: 130,
} as const;

type Stream = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean };
/** Tests that run commands in their own process replace these. */
export const streams: { out: Stream; err: Stream } = {
  out: process.stdout,
  err: process.stderr,
};

/** Aborted when the reader of stdout has ended, as `head` does. */
export const readerGone = new AbortController();

export class WrongUsage extends Error {}

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A text as one word of a POSIX shell. */
export const inQuotes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** For a command that a message names: the flag that makes it mean this data directory. */
export function dataHint(dir: string): string {
  if (/^[\w./-]+$/.test(dir)) return ` --data ${dir}`;
  return process.platform === "win32" ? ` --data "${dir}"` : ` --data ${inQuotes(dir)}`;
}

/** A result, or a line of JSON, without characters that a terminal acts on. */
export function say(line: string): void {
  streams.out.write(`${forTerminal(line)}\n`);
}

export function tell(line: string): void {
  streams.err.write(`${forTerminal(line)}\n`);
}

export function complain(line: string): void {
  tell(`troupe: ${line}`);
}

/** Columns of a terminal, where a Chinese character or an emoji takes two. */
export const columnsOf = (text: string) => stringWidth(text);

export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

export function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...rows.map((row) => row[column] ?? "")].map((text) => columnsOf(text))),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [headings, ...rows].map(line).join("\n");
}

function textOf(error: unknown): string {
  if (error instanceof Fault) {
    return error.kind === "internal" ? error.message : `${faultKinds[error.kind].prefix}: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}

export function failed(error: unknown): number {
  complain(textOf(error));
  return exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  const startFailure = error instanceof Fault ? startFailureOf(error.detail?.code) : null;
  if (startFailure !== null) return startFailure.exit;
  const invalid =
    error instanceof WrongUsage ||
    (error instanceof Fault && error.kind === "invalid") ||
    (error instanceof Refused && (error.status === 400 || error.status === 413));
  return invalid ? exitCodes.wrongUsage : exitCodes.failed;
}
