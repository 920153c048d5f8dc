/** Log lines of a run's parts, and which of them a reader does not have yet. */
import { limits } from "../protocol/limits.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";
import type { RunProfile } from "../protocol/records.ts";
import type { ScriptLogTail } from "../protocol/run-task.ts";

export interface LogLine {
  profile_id: string;
  /** `level: text`. */
  line: string;
}

const partsAtOnce = 100;

/** The run's parts, some at a time. Throws `not-found`. */
export async function* partsOf(
  { library }: { library: Pick<LibraryApi, "runProfiles"> },
  runId: string,
): AsyncGenerator<RunProfile[]> {
  for (let offset = 0; ; offset += partsAtOnce) {
    const { profiles } = await library.runProfiles({ runId, offset, limit: partsAtOnce });
    if (profiles.length > 0) yield profiles;
    if (profiles.length < partsAtOnce) return;
  }
}

export const hasEnded = ({ status }: RunProfile) => status !== "waiting" && status !== "running";

export function* linesOf(profile_id: string, lines: readonly string[]): Generator<LogLine> {
  for (const line of lines) yield { profile_id, line };
}

/** The lines of an ended log that were not sent. Both are the last lines of the same log, of which `sent.count` were sent. */
export function unsent(sent: ScriptLogTail, log: readonly string[]): ScriptLogTail {
  const isWhole = log.length < limits.scriptLogTailLinesMax;
  if (isWhole) return { lines: log.slice(sent.count), count: Math.max(sent.count, log.length) };
  // How many lines were added is unknown: the fewest with which both agree.
  for (let added = Math.max(0, log.length - sent.count); added < log.length; added++) {
    const known = log.slice(0, log.length - added);
    const common = Math.min(known.length, sent.lines.length);
    const agrees = sent.lines.slice(-common).every((line, at) => line === known[known.length - common + at]);
    if (common > 0 && agrees) return { lines: log.slice(-added || log.length), count: sent.count + added };
  }
  return { lines: [...log], count: sent.count + log.length };
}
