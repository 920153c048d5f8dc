/**
 * Suite `footprint`: memory of the service without profiles and per idle profile, weight of a script's process, and start time compared
 * with Node alone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { runnerWeights } from "./runner-weights.ts";
import { startServed, withDataDir, withServed } from "./served.ts";
import { announce, report, samplesTable, table } from "./table.ts";

const counts = [1, 2, 4, 8, 16];
const restBytes = 256 * 1024;
const restMs = 1_000;
const restMsMax = 15_000;
const tasksEndMsMax = 60_000;
const mb = 1024 ** 2;
const starts = 7;
const nodeAlone = "Node alone, from start to end";
const serviceReady = "the service, from start to ready";

interface Reading {
  running: number;
  /** Resident bytes of the service's process, including shared pages of the Node binary, but not the browsers. */
  rss: number;
  anonymous: number;
  threads: number;
}

export async function runFootprintSuite(): Promise<void> {
  const conditions = announce(
    "footprint",
    `the service's own memory, none to ${counts.at(-1)} profiles; ${starts} starts on a new directory`,
  );
  const startUp = await startUps();
  const weights = await runnerWeights();
  await withServed(async ({ pid, rest }) => {
    const fresh = await readAtRest(pid, 0);
    const ids = await rest.createProfiles(Math.max(...counts));
    await tasksEnded(pid, fresh.threads);
    const readings: Reading[] = [await readAtRest(pid, 0)];
    for (const running of counts) {
      const more = ids.slice(readings.at(-1)?.running ?? 0, running);
      for (const id of more) await rest.launch(id);
      readings.push(await readAtRest(pid, running));
    }
    await Promise.all(ids.map((id) => rest.stop(id)));
    const after = await readAtRest(pid, 0);
    const made = readings[0]?.rss ?? Number.NaN;
    const full = readings.at(-1);
    const each = full === undefined ? Number.NaN : (full.rss - made) / full.running;
    report(
      "footprint",
      [
        footprintTable([fresh, ...readings, after], made),
        samplesTable(startUp, nodeAlone, 0),
        ...Object.entries(weights).map(
          ([library, bytes]) => `a runner of ${library}: ${(bytes / mb).toFixed(0)} MB`,
        ),
      ].join("\n\n"),
      [
        { what: "MB with no profile running", figure: fresh.rss / mb, limit: 150 },
        { what: "MB for each running profile", figure: each / mb, limit: 12 },
      ],
      { ...conditions, fresh, readings, after, runnerBytes: weights, samples: Object.fromEntries(startUp) },
    );
  });
}

async function startUps(): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>([
    [nodeAlone, []],
    [serviceReady, []],
  ]);
  // Skip the first of each, which fills caches.
  for (let round = -1; round < starts; round += 1) {
    const from = performance.now();
    await once(spawn(process.execPath, ["-e", ""], { stdio: "ignore" }), "close");
    const aloneMs = performance.now() - from;
    const readyMs = await withDataDir(async (dataDir) => {
      const started = await startServed(dataDir);
      await started.end();
      return started.readyMs;
    });
    if (round < 0) continue;
    samples.get(nodeAlone)?.push(aloneMs);
    samples.get(serviceReady)?.push(readyMs);
  }
  return samples;
}

/** Waits until the task threads that created fingerprints have ended, which they do when idle. */
async function tasksEnded(pid: number, threads: number): Promise<void> {
  const until = performance.now() + tasksEndMsMax;
  while ((await read(pid, 0)).threads > threads && performance.now() < until) {
    await new Promise<void>((resolve) => setTimeout(resolve, restMs));
  }
}

function footprintTable(readings: Reading[], idle: number): string {
  return table([
    ["profiles running", "RSS MB", "of it anonymous", "above none, each", "threads"],
    ...readings.map(({ running, rss, anonymous, threads }) => [
      String(running),
      (rss / mb).toFixed(1),
      (anonymous / mb).toFixed(1),
      running === 0 ? "" : ((rss - idle) / running / mb).toFixed(1),
      String(threads),
    ]),
  ]);
}

/** Reads until two readings agree, because threads that start or end change the size. */
async function readAtRest(pid: number, running: number): Promise<Reading> {
  const until = performance.now() + restMsMax;
  let last = await read(pid, running);
  for (;;) {
    await new Promise<void>((resolve) => setTimeout(resolve, restMs));
    const now = await read(pid, running);
    if (Math.abs(now.rss - last.rss) < restBytes || performance.now() > until) return now;
    last = now;
  }
}

async function read(pid: number, running: number): Promise<Reading> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const bytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
  const threads = (await readdir(`/proc/${pid}/task`)).length;
  return { running, rss: bytes("VmRSS"), anonymous: bytes("RssAnon"), threads };
}
