/** Measures verbs on many profiles at once: total rate and fairness. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import type { PeerProgram } from "./peers.ts";
import { quantile } from "./table.ts";

export interface Crowd {
  rate: number;
  /** Share (0 to 1) of our allowed cores that was busy, with all processes of the machine. */
  busy: number;
  /** Milliseconds, one list per caller. */
  latencies: number[][];
}

export interface CrowdCall {
  url: string;
  token: string;
  paths: readonly string[];
  body: object;
}

/**
 * Runs `load.mjs` in its own process, because a generator in the bench's process would compete for its thread and slow the callers.
 * Throws if a reply fails.
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

export function worstTail({ latencies }: Crowd): number {
  return Math.max(...latencies.map((taken) => quantile(taken, 0.99) / quantile(taken, 0.5)));
}

export function coresOf(list: string): Set<number> {
  const ranges = list.split(",").map((range) => range.split("-").map(Number));
  return new Set(
    ranges.flatMap(([first = 0, last = first]) =>
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    ),
  );
}

/** The cores that this process may use; null for all or unknown. */
function ownCores(): Set<number> | null {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return list === undefined ? null : coresOf(list);
  } catch {
    return null;
  }
}

function cpuTimes(): { idle: number; all: number } {
  const own = ownCores();
  const times = cpus().flatMap((cpu, at) => (own === null || own.has(at) ? [cpu.times] : []));
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}
