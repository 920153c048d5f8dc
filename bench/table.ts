/** What becomes of samples: quantiles, a table for people, a file for later. */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";

const resultsDir = "bench-results";

/** A figure against the most (or, with `atLeast`, the least) that it may be. */
export interface Target {
  what: string;
  figure: number;
  limit: number;
  atLeast?: true;
}

/** The sample that `at` (0 to 1) of all do not exceed; NaN of none. */
export function quantile(samples: readonly number[], at: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The first column to the left, the others to the right, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return rows.map(line).join("\n");
}

/** A table of the samples of each kind, with their medians over that of the kind called `base`. */
export function samplesTable(
  samples: ReadonlyMap<string, readonly number[]>,
  base: string,
  digits: number,
): string {
  const unit = median(samples.get(base) ?? []);
  return table([
    ["ms", "p50", "p95", "p99", "ratio"],
    ...[...samples].map(([name, taken]) => [
      name,
      ...[0.5, 0.95, 0.99].map((at) => quantile(taken, at).toFixed(digits)),
      (median(taken) / unit).toFixed(3),
    ]),
  ]);
}

/** Each target with its figure, and whether it is met. */
export function targetLines(targets: readonly Target[]): string {
  return targets
    .map(({ what, figure, limit, atLeast }) => {
      const met = atLeast ? figure >= limit : figure <= limit;
      const bound = `${atLeast ? "at least" : "at most"} ${limit}`;
      return `${met ? "met   " : "MISSED"}  ${what}: ${figure.toFixed(3)} (${bound})`;
    })
    .join("\n");
}

/** Says that a suite begins, and under what conditions; what it answers goes into the saved record. */
export function announce(suite: string, what: string) {
  const [load = Number.NaN] = loadavg();
  const conditions = { cores: availableParallelism(), loadBefore: load, node: process.version };
  process.stdout.write(
    `\n${suite}: ${what}; ${conditions.cores} cores, load ${load.toFixed(2)} before it began\n`,
  );
  return conditions;
}

/** Prints the text and the targets, and writes the record with its samples to a file of its own. */
export function report(suite: string, text: string, targets: readonly Target[], record: object): void {
  process.stdout.write(`${text}\n${targetLines(targets)}\n`);
  const at = new Date().toISOString();
  mkdirSync(resultsDir, { recursive: true });
  const file = join(resultsDir, `${suite}-${at.replaceAll(":", "-")}.json`);
  writeFileSync(file, `${JSON.stringify({ suite, at, targets, ...record }, null, 1)}\n`);
  process.stdout.write(`samples in ${file}\n`);
}
