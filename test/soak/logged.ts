/** What the service logged as an error is a failure too, of the profile that the line names. */
import type { Failure } from "./ledger.ts";

/** An error is logged when what went wrong has run into a limit: it may have been caused so long before. */
const causedMs = 60_000;
/** Node says so of what a bundle's dependency uses. */
const harmless = /ExperimentalWarning|--trace-warnings/;

/** The lines of level error, and those that are no lines of the log at all: nothing but the log writes to stderr. */
export function loggedFailures(lines: readonly string[], profileIds: readonly string[]): Failure[] {
  return lines.flatMap((line): Failure[] => {
    const parsed = logLine(line);
    if (parsed === null ? harmless.test(line) : parsed.level !== "error") return [];
    const to = parsed === null ? Date.now() : Date.parse(parsed.at);
    const profileId = profileIds.find((id) => line.includes(id)) ?? null;
    const anybodys = profileId === null ? ({ anybodys: true } as const) : {};
    const from = to - causedMs;
    return [{ what: "log", profileId, from, to, message: line.slice(0, 2_000), ...anybodys }];
  });
}

function logLine(line: string): { at: string; level: string } | null {
  try {
    const value: unknown = JSON.parse(line);
    const { at, level } = Object(value);
    return typeof at === "string" && typeof level === "string" ? { at, level } : null;
  } catch {
    return null;
  }
}
