/**
 * Suite `batch`: 64 profiles with the demo's script, 8 at a time, in turns with puppeteer-cluster and Crawlee's browser-pool on equal
 * screens. Each repetition reverses the order.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ShownDevice } from "../actors/profile/chromium/switches.ts";
import { findChromium } from "../gateway/machine.ts";
import type { Run } from "../protocol/records.ts";
import type { CreateProfilesReply, SaveScriptReply } from "../protocol/requests.ts";
import type { PeerOrder, PeerReport } from "./batch/order.ts";
import { peersAsked } from "./batch/peers-asked.ts";
import { type Usage, watchUsage } from "./batch/usage.ts";
import { shownDevice } from "./clients.ts";
import { repositoryRoot } from "./demo/place.ts";
import { startShop } from "./demo/shop/server.ts";
import { shoppers, variablesFor } from "./demo/shoppers.ts";
import { callTroupe } from "./demo/troupe.ts";
import { endThoseNaming } from "./leftovers.ts";
import { installPeers } from "./peers.ts";
import { endsWithBench } from "./run/ending.ts";
import { type Served, withServed } from "./served.ts";
import { announce, median, report, table } from "./table.ts";

const jobs = Number(process.env.BATCH_JOBS ?? 64);
const concurrency = 8;
const repetitions = Number(process.env.BATCH_REPETITIONS ?? 5);
/** BATCH_PEERS limits the suite to some peers, for a quicker run. */
const peers = () => peersAsked(process.env.BATCH_PEERS);
/** Each poll costs processor time that is not part of the batch. */
const pollMs = 250;
const mb = 1024 ** 2;

interface Batch extends Usage {
  ms: number;
  totals: number[];
  errors: string[];
  devices: ShownDevice[];
}

interface Shopped {
  totalCents: number;
  device: ShownDevice;
}

export async function runBatchSuite(): Promise<void> {
  const conditions = announce(
    "batch",
    `${jobs} profiles, ${concurrency} at a time, ${repetitions} repetitions`,
  );
  await installPeers();
  const all = shoppers(jobs);
  const expected: number[] = [];
  const batches = new Map<string, Batch[]>();
  let devices: ShownDevice[] = [];
  for (let done = 0; done < repetitions; done += 1) {
    for (const [name, run] of inTurn(done)) {
      // A new shop per batch, with empty carts and its own order counts.
      const shop = await startShop(all);
      try {
        const batch = await run({ ...variablesFor(all, shop.url), deviceExpression: shownDevice }, devices);
        devices = batch.devices;
        const bought = all.map(({ user }) => shop.shop.visitOf(user).cart.totalCents);
        if (sum(bought) !== sum(batch.totals)) batch.errors.push("the shop's data disagrees");
        expected.push(sum(bought));
        batches.set(name, [...(batches.get(name) ?? []), batch]);
        process.stdout.write(`${name}: ${(batch.ms / 1000).toFixed(1)} s, ${batch.errors.length} failed\n`);
      } finally {
        await shop.close();
      }
    }
  }
  const of = (name: string, figure: (batch: Batch) => number) =>
    median((batches.get(name) ?? []).map(figure));
  const failures = (batches.get("troupe") ?? []).flatMap(({ errors }) => errors);
  report(
    "batch",
    table([
      ["", "seconds", "core seconds a part", "peak MB", "failed"],
      ...[...batches].map(([name, list]) => [
        name,
        (of(name, ms) / 1000).toFixed(1),
        (of(name, work) / jobs / 1000).toFixed(2),
        (of(name, peak) / mb).toFixed(0),
        String(list.flatMap(({ errors }) => errors).length),
      ]),
    ]),
    [...figuresOf(of), { what: `failures in ${repetitions} repetitions`, figure: failures.length, limit: 0 }],
    { ...conditions, batches: Object.fromEntries(batches), failures },
  );
}

const ms = (batch: Batch) => batch.ms;
const peak = (batch: Batch) => batch.peakBytes;
const work = (batch: Batch) => batch.processorMs;

function figuresOf(of: (name: string, figure: (batch: Batch) => number) => number) {
  const figures = [
    {
      peer: "cluster",
      what: "total time over puppeteer-cluster's",
      figure: of("troupe", ms) / of("cluster", ms),
      limit: 0.85,
    },
    {
      peer: "cluster",
      what: "processor time over puppeteer-cluster's",
      figure: of("troupe", work) / of("cluster", work),
      limit: 0.83,
    },
    {
      peer: "cluster",
      what: "peak memory of everything over puppeteer-cluster's",
      figure: of("troupe", peak) / of("cluster", peak),
      limit: 1.1,
    },
    {
      peer: "crawlee",
      what: "total time over the browser-pool's",
      figure: of("troupe", ms) / of("crawlee", ms),
      limit: 0.85,
    },
  ];
  return figures.filter(({ peer }) => peers().includes(peer));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

type Contestant = (variables: Record<string, string>, devices: ShownDevice[]) => Promise<Batch>;

/** Ours runs first, because the peers use the devices of its last batch. */
const contestants: Record<string, Contestant> = {
  troupe: (variables) => withServed((served) => troupeBatch(served, "batch/shopper-puppeteer.ts", variables)),
  cluster: (variables, devices) => peerBatch("cluster", variables, devices),
  crawlee: (variables, devices) => peerBatch("crawlee", variables, devices),
};

function inTurn(repetition: number): [string, Contestant][] {
  const all = Object.entries(contestants).filter(([name]) => name === "troupe" || peers().includes(name));
  return repetition % 2 === 0 ? all : all.reverse();
}

async function troupeBatch(
  { rest, pid, dataDir }: Served,
  script: string,
  variables: Record<string, string>,
): Promise<Batch> {
  const ids: string[] = [];
  for (let number = 1; number <= jobs; number += 1) {
    const body = { count: 1, name_template: `Shopper ${number}` };
    const { created } = await rest.post<CreateProfilesReply>("/v1/profiles", body);
    ids.push(...created.map(({ profile_id }) => profile_id));
  }
  const source = await readFile(join(repositoryRoot(), "bench", script), "utf8");
  const { scriptId } = await rest.post<SaveScriptReply>("/v1/scripts", { name: "Shopping", source });
  await callTroupe(dataDir, "script", "approve", scriptId);
  const usage = watchUsage(pid);
  const from = performance.now();
  const body = { script_id: scriptId, profile_ids: ids, concurrency, variables };
  let run = await rest.post<Run>("/v1/scripts/batch", body);
  while (run.status === "running") {
    await new Promise<void>((resolve) => setTimeout(resolve, pollMs));
    run = await rest.get<Run>(`/v1/runs/${run.id}`);
  }
  const ms = performance.now() - from;
  const used = await usage.stop();
  const { profiles } = await rest.get<{
    profiles: { status: string; error: string | null; result: Shopped | null }[];
  }>(`/v1/runs/${run.id}/profiles?limit=1000`);
  const shopped = profiles.flatMap(({ result }) => result ?? []);
  return {
    ms,
    ...used,
    totals: shopped.map(({ totalCents }) => totalCents),
    errors: profiles.flatMap(({ status, error }) => (status === "completed" ? [] : [String(error)])),
    devices: shopped.map(({ device }) => device),
  };
}

/** Runs a peer's bundle `name` in its own process, with one browser per device. */
async function peerBatch(
  name: string,
  variables: Record<string, string>,
  devices: ShownDevice[],
): Promise<Batch> {
  const tempDir = await mkdtemp(join(tmpdir(), `troupe-bench-${name}-`));
  const order: PeerOrder = { devices, concurrency, chromiumPath: findChromium(), tempDir, variables };
  const entry = fileURLToPath(new URL(`./batch-${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [entry, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const removeDir = () => rm(tempDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  const ended = endsWithBench(async () => {
    child.kill("SIGINT");
    await closed;
    await endThoseNaming(tempDir);
    await removeDir();
  });
  const usage = watchUsage(child.pid ?? 0);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  try {
    await closed;
    const done: PeerReport = JSON.parse(text);
    return { ...done, devices, ...(await usage.stop()) };
  } finally {
    await usage.stop();
    await removeDir();
    ended();
  }
}
