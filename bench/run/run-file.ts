/** The file of one run: samples, targets and conditions of every suite, rewritten after each suite. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import type { Series } from "./series.ts";

/** A figure and its maximum, or its minimum with `atLeast`. */
export interface Target {
  what: string;
  figure: number;
  limit: number;
  atLeast?: true;
}

export interface SuiteRecord {
  at: string;
  /** The one-minute load average at that time. */
  loadAfter: number;
  targets: readonly Target[];
  series: readonly Series[];
  record: object;
}

export interface RunFile {
  format: typeof runFormat;
  at: string;
  label: string;
  machine: { cpu: string; cores: number; memoryBytes: number; platform: string; node: string };
  slowed: string | null;
  suites: Record<string, SuiteRecord>;
}

const runFormat = "troupe-bench-1";
const resultsDir = "bench-results";

export interface OpenRun {
  file: string;
  beside(ending: string): string;
  add(suite: string, record: Omit<SuiteRecord, "at" | "loadAfter">): void;
}

/** Starts a run whose files are in `bench-results/`, named by time and label. */
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

export function readRun(file: string): RunFile {
  const run: RunFile = JSON.parse(readFileSync(file, "utf8"));
  if (run?.format !== runFormat) throw new Error(`${file} is not a run file: its format is not ${runFormat}`);
  return run;
}
