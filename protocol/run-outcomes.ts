/** Outcomes of a profile's part of a run that its script did not give. */
import type { RunProfileOutcome } from "./messages/library.ts";

/** What a part has that did nothing: no result, output, log or file. */
export function nothingDone(): Omit<RunProfileOutcome, "status" | "error"> {
  return { result: null, output: [], log: [], files: [], launchMs: null, isolation: null };
}

/** A part that failed before its script did anything. */
export function failedOutcome(error: string): RunProfileOutcome {
  return { status: "failed", error, ...nothingDone() };
}
