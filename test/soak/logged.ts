/** Errors in the service's log are failures of the profile that the line names. */
import type { Failure } from "./ledger.ts";

/** An error may be logged only when a limit expires, so its cause may be this old. */
const causedMs = 60_000;
/** Node's warnings about a dependency in the bundle, and what its inspector writes for `collect.ts`. */
const harmless = /ExperimentalWarning|--trace-warnings|^Debugger |docs\/inspector$/;

/** Lines of level error, and lines that are not from the log, because only the log may write to stderr. */
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
