/** Verbs on many profiles at once: how many are done in all, and whether one of them is starved. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import type { PeerProgram } from "./peers.ts";
import { quantile } from "./table.ts";

export interface Crowd {
  /** Calls a second, of all together. */
  rate: number;
  /** The share of the cores that we may use that was busy, from 0 to 1: the browsers, the service, the bench and whatever else runs. */
  busy: number;
  /** Milliseconds, one list for each caller. */
  latencies: number[][];
}

/** What each caller asks for, again as soon as it is answered. */
export interface CrowdCall {
  url: string;
  token: string;
  /** One for each caller. */
  paths: readonly string[];
  body: object;
}

/**
 * Calls by the generator `load.mjs`, for so many seconds. It is a process of its own, and lighter than a client of ours: one that
 * shared the bench's process was busy, or waited for a core, six tenths of the time with eight callers, and held them up.
 * Throws when a reply is no success.
 */
export async function callAtOnce(
  load: PeerProgram,
  { url, token, paths, body }: CrowdCall,
  seconds: number,
): Promise<Crowd> {
  const before = cpuTimes();
  const said = await load.ask({
    url,
    paths,
    duration: seconds,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const after = cpuTimes();
  const result: Result = JSON.parse(JSON.stringify(said));
  const wrong = Object.keys(result.statuses).filter((status) => status !== "200");
  if (result.errors > 0 || wrong.length > 0)
    throw new Error(`${paths.length} at once: ${result.errors} errors, ${JSON.stringify(result.statuses)}`);
  const calls = result.latencies.reduce((sum, taken) => sum + taken.length, 0);
  return {
    rate: calls / result.seconds,
    busy: 1 - (after.idle - before.idle) / (after.all - before.all),
    latencies: result.latencies,
  };
}

interface Result {
  seconds: number;
  errors: number;
  statuses: Record<string, number>;
  latencies: number[][];
}

/** The greatest p99 over p50 among the callers. */
export function worstTail({ latencies }: Crowd): number {
  return Math.max(...latencies.map((taken) => quantile(taken, 0.99) / quantile(taken, 0.5)));
}

/** The numbers in a list as Linux writes it: `0-1,3`. */
export function coresOf(list: string): Set<number> {
  const ranges = list.split(",").map((range) => range.split("-").map(Number));
  return new Set(
    ranges.flatMap(([first = 0, last = first]) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    ),
  );
}

/** The cores that this process was given, which are its browsers' too; null: all, or not known here. */
function ownCores(): Set<number> | null {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return list === undefined ? null : coresOf(list);
  } catch {
    return null; // No /proc.
  }
}

function cpuTimes(): { idle: number; all: number } {
  const own = ownCores();
  const times = cpus().flatMap((cpu, at) => (own === null || own.has(at) ? [cpu.times] : []));
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}
