/** What this machine's browsers weigh: measured while they run, and kept for the pool's size at the next start. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { limits } from "../../protocol/limits.ts";
import { inBackground } from "./background.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Log } from "./log.ts";
import { processTrees, sharedMemory } from "./process-load.ts";
import { replaceFile } from "./replace-file.ts";

/** One browser is weighed each time, of those that ran at the time before. */
const everyMs = 60_000;
const samplesMin = 20;
const samplesMax = 200;

export interface WeighingParts {
  file: string;
  /** Leaders of the running browsers' process groups. */
  pids(): number[];
  log: Log;
  clock?: Clock;
  weigh?: (pid: number) => Promise<number | null>;
}

/** Weighs until it is closed. */
export function keepWeights(parts: WeighingParts): { close(): void } {
  const { file, pids, log, clock = systemClock, weigh = weightOfTree } = parts;
  const samples = readSamples(file);
  let before = new Set<number>();
  let turn = 0;
  const look = async () => {
    const running = pids();
    const settled = running.filter((pid) => before.has(pid));
    before = new Set(running);
    const pid = settled[turn % settled.length];
    if (pid === undefined) return;
    turn += 1;
    const bytes = await weigh(pid);
    if (bytes === null || bytes === 0) return;
    samples.push(bytes);
    samples.splice(0, samples.length - samplesMax);
    await replaceFile(file, (draft) => writeFile(draft, JSON.stringify(samples)));
  };
  const again = () => {
    timer = clock.timer(everyMs, again);
    inBackground(log, "weighing a browser", look());
  };
  let timer = clock.timer(everyMs, again);
  return { close: () => timer.cancel() };
}

/** Null without /proc. */
async function weightOfTree(leader: number): Promise<number | null> {
  const tree = (await processTrees([leader]))?.get(leader);
  return tree === undefined ? null : sharedMemory(tree);
}

/** The mean of the heavier half of what was measured, in bytes; what is assumed where that is too little. */
export function weightOf(file: string): number {
  const samples = readSamples(file).sort((a, b) => b - a);
  if (samples.length < samplesMin) return limits.memoryPerBrowserBytes;
  const heavier = samples.slice(0, Math.ceil(samples.length / 2));
  const mean = heavier.reduce((sum, bytes) => sum + bytes, 0) / heavier.length;
  return Math.max(limits.memoryPerBrowserLeastBytes, Math.round(mean));
}

/** A damaged file counts as empty: it holds no more than measurements. */
function readSamples(file: string): number[] {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(found) ? found.filter((bytes) => Number.isFinite(bytes) && bytes > 0) : [];
  } catch {
    return [];
  }
}
