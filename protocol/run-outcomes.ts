/** Outcomes of a part of a run that did not come from its script. */
import type { RunProfileOutcome } from "./messages/library.ts";

/** The outcome's fields of a part that did nothing. */
export function nothingDone(): Omit<RunProfileOutcome, "status" | "error"> {
  return { result: null, output: [], log: [], files: [], launchMs: null, isolation: null };
}

/** A part that failed before its script did anything. */
export function failedOutcome(error: string): RunProfileOutcome {
  return { status: "failed", error, ...nothingDone() };
}
