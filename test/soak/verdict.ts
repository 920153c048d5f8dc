/** Judges a soak: the problems in its observations. */
import { logFileName } from "../../actors/kernel/log-file.ts";
import type { Failure, Judged } from "./ledger.ts";
import type { AtRest } from "./rest.ts";

export interface Minute {
  minute: number;
  done: Record<string, number>;
  provoked: number;
  unprovoked: readonly Failure[];
  pingP99Ms: number;
  residentMb: number;
  descriptors: number;
  threads: number;
  processes: number;
}

export interface Seen {
  judged: Judged;
  wrongs: readonly string[];
  before: AtRest;
  after: AtRest;
  endCode: number | null;
  left: number;
  /** Of load after the warm-up. */
  minutesOfLoad: number;
}

const memoryRatioMax = 1.1;
/** Shorter loads end while caches and compiled code still grow. */
const memoryMinutesMin = 5;

export function problemsOf({ judged, wrongs, before, after, endCode, left, minutesOfLoad }: Seen): string[] {
  const problems = [...wrongs];
  for (const failure of judged.unprovoked) problems.push(failureLine(failure));
  const same = (what: string, count: (held: AtRest) => number) => {
    if (count(after) !== count(before))
      problems.push(`idle ${what}: ${count(before)} before, ${count(after)} after`);
  };
  same("processes", (held) => held.processes);
  same("threads", (held) => held.threads);
  const [held, holds] = [byKind(before), byKind(after)];
  for (const kind of new Set([...held.keys(), ...holds.keys()])) {
    const [was, is] = [held.get(kind) ?? 0, holds.get(kind) ?? 0];
    const isLog = kind.endsWith(logFileName) && is <= 1; // Opened for the first line, closed while the disk refuses lines.
    if (was !== is && !isLog) problems.push(`idle descriptors of ${kind}: ${was} before, ${is} after`);
  }
  if (after.temporaries.length > before.temporaries.length)
    problems.push(`temporary directories while idle: ${after.temporaries.join(", ")}`);
  if (after.locks.length > 0) problems.push(`locks while idle: ${after.locks.join(", ")}`);
  const ratio = after.residentMb / before.residentMb;
  if (minutesOfLoad >= memoryMinutesMin && ratio > memoryRatioMax)
    problems.push(
      `idle memory: ${before.residentMb} MB before, ${after.residentMb} MB after (${ratio.toFixed(2)})`,
    );
  if (endCode !== 0) problems.push(`the service exited with ${endCode}`);
  if (left > 0) problems.push(`${left} processes remained after the service ended`);
  return problems;
}

/** Journals are numbered; their numbers do not matter. */
function byKind({ descriptors }: AtRest): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [leadsTo, count] of Object.entries(descriptors)) {
    const kind = leadsTo.replace(/-\d+$/, "");
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return counts;
}

export function minuteLine(minute: Minute): string {
  const done = Object.entries(minute.done).map(([what, count]) => `${what} ${count}`);
  return [
    `minute ${minute.minute}: ${done.join(", ")}`,
    `failures so far: ${minute.provoked} provoked, ${minute.unprovoked.length} unprovoked`,
    `${minute.residentMb} MB, ${minute.descriptors} descriptors, ${minute.threads} threads, ${minute.processes} processes`,
    `p99 of a cheap call ${minute.pingP99Ms.toFixed(1)} ms`,
  ].join("; ");
}

export function failureLine({ what, profileId, from, to, message }: Failure): string {
  const whose = profileId === null ? "" : ` of ${profileId}`;
  return `not provoked: ${what}${whose} from ${new Date(from).toISOString()}, ${to - from} ms: ${message}`;
}
