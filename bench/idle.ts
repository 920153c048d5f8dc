/**
 * Suite `idle`: what profiles that nobody uses weigh and cost, beside Playwright's persistent contexts on the same Chromium, and whether
 * many of them slow down those that are used.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { processTrees, ticksPerSec } from "../actors/kernel/process-load.ts";
import { findChromium, weightsFile } from "../gateway/machine.ts";
import { type Crowd, callAtOnce } from "./crowd.ts";
import { type Breakdown, breakdownOf, breakdownTable, totalOf } from "./idle/weights.ts";
import { noSignals } from "./launchers.ts";
import { residentBytes } from "./leftovers.ts";
import { withPage } from "./page-served.ts";
import { startPeer } from "./peers.ts";
import { owned } from "./run/ending.ts";
import { type Served, startServed, withDataDir, withServed } from "./served.ts";
import { announce, median, report } from "./table.ts";

const mb = 1024 ** 2;
const group = 6;
const plainRestMs = 30_000;
/** Two minutes, as a person leaves a tab; pages are frozen after the first. */
const leftMs = Number(process.env.IDLE_LEFT_SECS ?? 120) * 1_000;
const watchedMs = 20_000;
const live = Number(process.env.IDLE_LIVE ?? 100);
const driven = 8;
const drivenSecs = 10;
const drivenRounds = 3;
const weighedMin = 20;

const plainPage = "<title>Plain</title><h1>A small page</h1><p>with a paragraph and <a href=/>a link</a>";
const busyPage = `<title>Busy</title><style>
@keyframes turn { to { transform: rotate(1turn); } }
#spinner { width: 60px; height: 60px; border: 6px solid #ccc; border-top-color: #333; border-radius: 50%; animation: turn 1s linear infinite; }
</style><div id="spinner"></div><output id="count"></output>
<script>let count = 0; setInterval(() => { document.getElementById("count").textContent = ++count; }, 50);</script>`;

export async function runIdleSuite(): Promise<void> {
  const conditions = announce(
    "idle",
    `${group} at once on a plain page; ${group} left on a busy one for ${leftMs / 1000} s; ${live} live, ${driven} of them driven`,
  );
  await withPage(plainPage, (plain) =>
    withPage(busyPage, async (busy) => {
      const peer = await playwrightIdle(plain, busy);
      const ours = await withServed((served) => idleProfiles(served, plain, busy));
      const crowd = await crowded(plain, busy, ours.weights.map(totalOf));
      const [weight, peerWeight] = [ours.weights, peer.weights].map((list) => median(list.map(totalOf)));
      report(
        "idle",
        [
          breakdownTable([
            ["Troupe", ours.weights],
            ["Playwright", peer.weights],
          ]),
          `left on a busy page: ${ours.busyMsPerSec.toFixed(1)} ms of processor time a second, Playwright's ${peer.busyMsPerSec.toFixed(1)}`,
          `its first verb: ${median(ours.firstMs).toFixed(1)} ms, the next: ${median(ours.nextMs).toFixed(1)} ms`,
          `${driven} alone: p50 ${crowd.alone.toFixed(2)} ms; among ${crowd.live} live: ${crowd.among.toFixed(2)} ms; the service's memory: ${crowd.mbEach.toFixed(1)} MB a profile`,
        ].join("\n"),
        [
          { what: "memory over Playwright's", figure: (weight ?? 0) / (peerWeight ?? 0), limit: 0.65 },
          { what: "ms of processor time a second on a busy page", figure: ours.busyMsPerSec, limit: 5 },
          {
            what: "ms of the first verb above the next",
            figure: median(ours.firstMs) - median(ours.nextMs),
            limit: 100,
          },
          { what: `p50 among ${crowd.live} over p50 alone`, figure: crowd.among / crowd.alone, limit: 1.1 },
          { what: "the service's MB a profile", figure: crowd.mbEach, limit: 12 },
        ],
        { ...conditions, ours, peer, crowd },
      );
    }),
  );
}

interface Idle {
  weights: Breakdown[];
  /** Of one browser's process tree. */
  busyMsPerSec: number;
}

async function playwrightIdle(plain: string, busy: string): Promise<Idle> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("no Chromium was found");
  const weights = await withContexts(executablePath, group, plain, async (pids) => {
    await pause(plainRestMs);
    return Promise.all(pids.map(breakdownOf));
  });
  // One: six would fill the cores and get less than they want.
  const busyMsPerSec = await withContexts(executablePath, 1, busy, async (pids) => {
    await pause(plainRestMs);
    return processorUse(pids);
  });
  return { weights, busyMsPerSec };
}

async function withContexts<Result>(
  executablePath: string,
  count: number,
  url: string,
  use: (pids: number[]) => Promise<Result>,
): Promise<Result> {
  const before = new Set(await childrenOfBench());
  const ends: (() => Promise<void>)[] = [];
  try {
    for (let done = 0; done < count; done += 1) {
      const dir = await mkdtemp(join(tmpdir(), "troupe-bench-idle-"));
      const context = await chromium.launchPersistentContext(dir, { executablePath, ...noSignals });
      ends.push(
        owned(async () => {
          await context.close();
          await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
        }),
      );
      await context.pages()[0]?.goto(url);
    }
    return await use((await childrenOfBench()).filter((pid) => !before.has(pid)));
  } finally {
    for (const end of ends) await end();
  }
}

/** Playwright does not say which process is its browser. */
async function childrenOfBench(): Promise<number[]> {
  const tree = (await processTrees([process.pid]))?.get(process.pid) ?? [];
  return tree.filter(({ parent }) => parent === process.pid).map(({ pid }) => pid);
}

async function idleProfiles({ rest }: Served, plain: string, busy: string) {
  const ids = await rest.createProfiles(group);
  const pids = await openAll(rest, ids, () => plain);
  await pause(plainRestMs);
  const weights = await Promise.all(pids.map(breakdownOf));
  for (const id of ids) await rest.post(`/v1/profiles/${id}/navigate`, { url: busy });
  await pause(leftMs);
  const busyMsPerSec = await processorUse(pids);
  const firstMs: number[] = [];
  const nextMs: number[] = [];
  for (const id of ids) {
    const verb = () => rest.post(`/v1/profiles/${id}/evaluate`, { expression: "count" });
    firstMs.push(await msOf(verb));
    nextMs.push(await msOf(verb));
  }
  await Promise.all(ids.map((id) => rest.stop(id)));
  return { weights, busyMsPerSec, firstMs, nextMs };
}

/** Profiles with an even place are on a plain page, the others on a busy one. The limit of browsers follows the weights. */
async function crowded(plain: string, busy: string, weights: number[]) {
  return withDataDir(async (dataDir) => {
    const file = weightsFile(dataDir);
    await mkdir(dirname(file), { recursive: true });
    const enough = Array.from({ length: weighedMin }, (_, at) => weights[at % weights.length]);
    await writeFile(file, JSON.stringify(enough));
    const { served, end } = await startServed(dataDir);
    const load = await startPeer("load.mjs");
    try {
      const { rest, pid, apiUrl, token } = served;
      const { max } = await rest.get<{ max: number }>("/v1/capacity");
      const ids = await rest.createProfiles(Math.min(live, max));
      const used = ids.slice(0, driven);
      const left = ids.slice(driven);
      await openAll(rest, used, () => plain);
      const call = () =>
        callAtOnce(
          load,
          {
            url: apiUrl,
            token,
            paths: used.map((id) => `/v1/profiles/${id}/evaluate`),
            body: { expression: "document.title" },
          },
          drivenSecs,
        );
      const rounds = async () => {
        const taken: Crowd[] = [];
        for (let round = 0; round < drivenRounds; round += 1) taken.push(await call());
        return median(taken.map(({ latencies }) => median(latencies.flat())));
      };
      await call(); // Uncounted: lets new browsers finish their start.
      const alone = await rounds();
      const few = await residentBytes(pid);
      await openAll(rest, left, (at) => (at % 2 === 0 ? plain : busy));
      await pause(leftMs);
      const among = await rounds();
      const mbEach = ((await residentBytes(pid)) - few) / left.length / mb;
      await Promise.all(left.map((id) => rest.stop(id)));
      await pause(watchedMs);
      const again = await rounds();
      return { live: ids.length, alone: median([alone, again]), among, mbEach, alones: [alone, again] };
    } finally {
      await load.end();
      await end();
    }
  });
}

async function openAll(rest: Served["rest"], ids: readonly string[], page: (at: number) => string) {
  const pids: number[] = [];
  for (const [at, id] of ids.entries()) {
    pids.push((await rest.launch(id)).pid);
    await rest.post(`/v1/profiles/${id}/navigate`, { url: page(at) });
  }
  return pids;
}

/** Milliseconds of processor time a second, of the tree of each. */
async function processorUse(pids: readonly number[]): Promise<number> {
  const ticks = async () => {
    const trees = (await processTrees(pids)) ?? new Map();
    return [...trees.values()].flat().reduce((sum, process) => sum + process.ticks, 0);
  };
  const before = await ticks();
  await pause(watchedMs);
  const used = ((await ticks()) - before) / ticksPerSec;
  return (used * 1_000) / (watchedMs / 1_000) / pids.length;
}

async function msOf(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
