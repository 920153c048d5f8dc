/** Output of a suite: a table and targets for people, the run's file, and a picture. */
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { plotOf } from "./run/plot.ts";
import { type OpenRun, openRun, type Target } from "./run/run-file.ts";
import { type Series, seriesIn } from "./run/series.ts";
import { median, quantile } from "./run/statistics.ts";

export type { Target } from "./run/run-file.ts";
export { median, quantile } from "./run/statistics.ts";

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return rows.map(line).join("\n");
}

/** Medians per kind, also relative to the kind `base`. `unit` is the heading. */
export function samplesTable(
  samples: ReadonlyMap<string, readonly number[]>,
  base: string,
  digits: number,
  unit = "ms",
): string {
  const one = median(samples.get(base) ?? []);
  return table([
    [unit, "median", "p95", "middle half", "count", "ratio"],
    ...[...samples].map(([name, taken]) => {
      const at = (share: number) => quantile(taken, share).toFixed(digits);
      const ratio = (median(taken) / one).toFixed(3);
      return [name, at(0.5), at(0.95), `${at(0.25)}–${at(0.75)}`, String(taken.length), ratio];
    }),
  ]);
}

function targetLines(targets: readonly Target[]): string {
  return targets
    .map(({ what, figure, limit, atLeast }) => {
      const met = atLeast ? figure >= limit : figure <= limit;
      const bound = `${atLeast ? "at least" : "at most"} ${limit}`;
      return `${met ? "met   " : "MISSED"}  ${what}: ${figure.toFixed(3)} (${bound})`;
    })
    .join("\n");
}

export function announce(suite: string, what: string) {
  const [load = Number.NaN] = loadavg();
  const conditions = { cores: availableParallelism(), loadBefore: load, node: process.version };
  process.stdout.write(
    `\n${suite}: ${what}; ${conditions.cores} cores, load ${load.toFixed(2)} before it began\n`,
  );
  return conditions;
}

let run: OpenRun | null = null;

export function reportInto(opened: OpenRun): void {
  run = opened;
}

/** Writes an additional file next to the run's, in another format, and prints its path. */
export function keepBeside(ending: string, text: string): void {
  if (run === null) throw new TypeError("nothing has been reported yet");
  writeFileSync(run.beside(ending), text);
  process.stdout.write(`also in ${run.beside(ending)}\n`);
}

/**
 * Prints text and targets, adds the record to the run's file, and draws its series. Searches the record for samples if it has no
 * `series`.
 */
export function report(
  suite: string,
  text: string,
  targets: readonly Target[],
  record: { series?: readonly Series[]; [key: string]: unknown },
): void {
  run ??= openRun("", null);
  process.stdout.write(`${text}\n${targetLines(targets)}\n`);
  const { series = seriesIn(record), ...rest } = record;
  run.add(suite, { targets, series, record: rest });
  const picture = plotOf(suite, series);
  const files = [run.file];
  if (picture !== null) {
    files.push(run.beside(`${suite}.svg`));
    writeFileSync(run.beside(`${suite}.svg`), picture);
  }
  process.stdout.write(`samples in ${files.join(", drawn in ")}\n`);
}
