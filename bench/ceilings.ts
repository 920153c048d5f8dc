/**
 * Suite `ceilings`: launches, verbs, parts of runs and lines of log a second with browsers and scripts that answer at once, and which thread
 * would be full first on a machine with more cores.
 */
import type { Run } from "../protocol/records.ts";
import type { SaveScriptReply } from "../protocol/requests.ts";
import {
  buildFake,
  type ThreadName,
  type ThreadTimes,
  threads,
  threadTimes,
} from "./ceilings/fake-troupe.ts";
import { callAtOnce } from "./crowd.ts";
import { callTroupe } from "./demo/troupe.ts";
import { installPeers, startPeer } from "./peers.ts";
import { type Served, startServed, withDataDir } from "./served.ts";
import { announce, report, type Target, table } from "./table.ts";

const profiles = Number(process.env.CEILINGS_PROFILES ?? 200);
const callers = 8;
const seconds = 8;
const linesPerPart = 500;
const pollMs = 100;

interface Measured {
  perSec: number;
  /** Milliseconds of processor time for each, by thread. */
  each: ThreadTimes;
}

export async function runCeilingsSuite(): Promise<void> {
  const conditions = announce("ceilings", `${profiles} profiles, browsers that answer at once`);
  await installPeers();
  const fake = await buildFake();
  try {
    const measured = await withDataDir(async (dataDir) => {
      const { served, end } = await startServed(dataDir, { command: fake.command });
      try {
        return await measureAll(served, () => threadTimes(served.pid, fake.threadsFile));
      } finally {
        await end();
      }
    });
    report("ceilings", ceilingsTable(measured), targetsOf(measured), {
      ...conditions,
      measured: Object.fromEntries(measured),
    });
  } finally {
    fake.remove();
  }
}

async function measureAll(served: Served, times: () => ThreadTimes): Promise<Map<string, Measured>> {
  const { rest } = served;
  const ids = await rest.createProfiles(profiles);
  const counted = async (work: () => Promise<number>): Promise<Measured> => {
    const [before, from] = [times(), performance.now()];
    const count = await work();
    const [after, until] = [times(), performance.now()];
    const each = Object.fromEntries(
      threads.map((name) => [name, (after[name] - before[name]) / count]),
    ) as ThreadTimes;
    return { perSec: count / ((until - from) / 1_000), each };
  };
  await launches(rest, ids, 2); // Uncounted: the first use of each directory and thread.
  const measured = new Map<string, Measured>();
  measured.set("launch and stop", await counted(() => launches(rest, ids, seconds)));
  measured.set("verb (evaluate)", await verbs(served, ids.slice(0, callers), counted));
  const { scriptId } = await rest.post<SaveScriptReply>("/v1/scripts", { name: "nothing", source });
  await callTroupe(served.dataDir, "scripts", "approve", scriptId);
  measured.set("part of a run", await counted(() => batch(rest, scriptId, ids, 0)));
  measured.set(
    `part with ${linesPerPart} lines of log`,
    await counted(() => batch(rest, scriptId, ids, linesPerPart)),
  );
  return measured;
}

const source = "export default async function run({ page }) { return page.title(); }";

async function launches(rest: Served["rest"], ids: readonly string[], secs: number): Promise<number> {
  const until = performance.now() + secs * 1_000;
  let count = 0;
  const each = Math.floor(ids.length / callers);
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let at = 0; performance.now() < until; at += 1) {
        const id = ids[caller * each + (at % each)] ?? "";
        await rest.launch(id);
        await rest.stop(id);
        count += 1;
      }
    }),
  );
  return count;
}

async function verbs(
  { rest, apiUrl, token }: Served,
  ids: readonly string[],
  counted: (work: () => Promise<number>) => Promise<Measured>,
): Promise<Measured> {
  await Promise.all(ids.map((id) => rest.launch(id)));
  const load = await startPeer("load.mjs");
  try {
    const paths = ids.map((id) => `/v1/profiles/${id}/evaluate`);
    const call = { url: apiUrl, token, paths, body: { expression: "1 + 1" } };
    return await counted(async () => {
      const { latencies } = await callAtOnce(load, call, seconds);
      return latencies.flat().length;
    });
  } finally {
    await load.end();
    await Promise.all(ids.map((id) => rest.stop(id)));
  }
}

async function batch(rest: Served["rest"], scriptId: string, ids: readonly string[], lines: number) {
  const body = {
    script_id: scriptId,
    profile_ids: ids,
    concurrency: callers,
    variables: { lines: String(lines) },
  };
  let run = await rest.post<Run>("/v1/scripts/batch", body);
  while (run.status === "running") {
    await new Promise<void>((resolve) => setTimeout(resolve, pollMs));
    run = await rest.get<Run>(`/v1/runs/${run.id}`);
  }
  if (run.status !== "completed") throw new Error(`the run is ${run.status}: ${run.error}`);
  return ids.length;
}

/** The most a second of this thread alone. */
const ceilingOf = ({ each }: Measured, name: ThreadName) => 1_000 / each[name];
const shared = threads.filter((name) => name !== "profile");

function fullFirst(measured: Measured): ThreadName {
  return [...shared].sort((one, other) => measured.each[other] - measured.each[one])[0] ?? "gateway";
}

function ceilingsTable(measured: ReadonlyMap<string, Measured>): string {
  return table([
    ["ms of processor time each", "a second here", ...threads, "full first", "at a second", "that is cores"],
    ...[...measured].map(([what, one]) => {
      const first = fullFirst(one);
      const ceiling = ceilingOf(one, first);
      const all = threads.reduce((sum, name) => sum + one.each[name], 0);
      return [
        what,
        one.perSec.toFixed(0),
        ...threads.map((name) => one.each[name].toFixed(2)),
        first,
        ceiling.toFixed(0),
        ((ceiling * all) / 1_000).toFixed(1),
      ];
    }),
  ]);
}

function targetsOf(measured: ReadonlyMap<string, Measured>): Target[] {
  const limits: Record<string, number> = {
    "launch and stop": 200,
    "verb (evaluate)": 10_000,
    "part of a run": 300,
  };
  return Object.entries(limits).flatMap(([what, limit]) => {
    const one = measured.get(what);
    if (one === undefined) return [];
    const figure = ceilingOf(one, fullFirst(one));
    return [{ what: `${what}: a second, by the first thread that is full`, figure, limit, atLeast: true }];
  });
}
