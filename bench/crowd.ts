/** Verbs on many profiles at once: how many are done in all, and whether one of them is starved. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { quantile } from "./table.ts";

export interface Crowd {
  /** Calls a second, of all together. */
  rate: number;
  /** The share of the cores that we may use that was busy, from 0 to 1: the browsers, the service, the bench and whatever else runs. */
  busy: number;
  /** Milliseconds, one list for each caller. */
  latencies: number[][];
}

/** Each caller makes its next call when the last is answered, for `ms`. */
export async function callAtOnce(callers: readonly (() => Promise<unknown>)[], ms: number): Promise<Crowd> {
  const before = cpuTimes();
  const startedAt = performance.now();
  const latencies = await Promise.all(
    callers.map(async (call) => {
      const taken: number[] = [];
      for (let from = performance.now(); from - startedAt < ms; ) {
        await call();
        const to = performance.now();
        taken.push(to - from);
        from = to;
      }
      return taken;
    }),
  );
  const after = cpuTimes();
  const calls = latencies.reduce((sum, taken) => sum + taken.length, 0);
  return {
    rate: (calls / (performance.now() - startedAt)) * 1000,
    busy: 1 - (after.idle - before.idle) / (after.all - before.all),
    latencies,
  };
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
