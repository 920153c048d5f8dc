/** The file of one run: every suite's samples, targets and conditions, written anew after each suite. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import type { Series } from "./series.ts";

/** A figure against the most (or, with `atLeast`, the least) that it may be. */
export interface Target {
  what: string;
  figure: number;
  limit: number;
  atLeast?: true;
}

export interface SuiteRecord {
  /** When it was reported, ISO 8601. */
  at: string;
  /** The load of the last minute then. */
  loadAfter: number;
  targets: readonly Target[];
  series: readonly Series[];
  /** What else the suite has kept. */
  record: object;
}

export interface RunFile {
  format: typeof runFormat;
  at: string;
  /** What the user calls the build that was measured. */
  label: string;
  machine: { cpu: string; cores: number; memoryBytes: number; platform: string; node: string };
  /** What was slowed down on purpose, as it was asked for. */
  slowed: string | null;
  suites: Record<string, SuiteRecord>;
}

const runFormat = "troupe-bench-1";
const resultsDir = "bench-results";

/** A run that is being measured. */
export interface OpenRun {
  /** Path of its JSON file. */
  file: string;
  /** The path of a file of its own beside it: its name with `-ending`. */
  beside(ending: string): string;
  add(suite: string, record: Omit<SuiteRecord, "at" | "loadAfter">): void;
}

/** Begins a run whose files are in `bench-results/`, named by the time and the label. */
export function openRun(label: string, slowed: string | null): OpenRun {
  const at = new Date().toISOString();
  const stem = join(resultsDir, [at.replaceAll(":", "-"), label].filter((part) => part !== "").join("-"));
  const run: RunFile = {
    format: runFormat,
    at,
    label,
    machine: {
      cpu: cpus()[0]?.model ?? "",
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
    },
    slowed,
    suites: {},
  };
  const file = `${stem}.json`;
  return {
    file,
    beside: (ending) => `${stem}-${ending}`,
    add(suite, record) {
      const [loadAfter = Number.NaN] = loadavg();
      run.suites[suite] = { at: new Date().toISOString(), loadAfter, ...record };
      mkdirSync(resultsDir, { recursive: true });
      writeFileSync(`${file}.new`, `${JSON.stringify(run, null, 1)}\n`);
      renameSync(`${file}.new`, file);
    },
  };
}

/** Reads the file of a run. Throws on a file that is none. */
export function readRun(file: string): RunFile {
  const run: RunFile = JSON.parse(readFileSync(file, "utf8"));
  if (run?.format !== runFormat)
    throw new Error(`${file} is not the file of a run: its format is not ${runFormat}`);
  return run;
}
