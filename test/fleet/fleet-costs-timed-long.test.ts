/** What a fleet costs beside one machine, by turns: a part, a fetched archive, and the throughput of eight workers. On demand: `npm test -- fleet-costs`. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { median } from "../../bench/run/statistics.ts";
import { eventually, type Fleet, startFleet } from "./fleet.ts";
import { needsPostgres } from "./postgres.ts";
import { cpuMsBelow } from "./process-time.ts";

const turns = { part: 8, fetch: 6, batch: 2 };
const largeBytes = 10_000_000;
const atOnce = 8;
const batchParts = 48;
const lookMs = 10;

const visit = `export default async function run({ page, profile, variables }) {
  await page.goto(variables.site + "/visit?who=" + profile.id);
  return await page.textContent("#login");
}`;
const stay = `export default async function run({ page, profile, variables, sleep }) {
  await page.goto(variables.site + "/visit?who=" + profile.id);
  await sleep(2_000);
}`;

interface Cost {
  wallMs: number;
  /** Of the head, the workers, their browsers and PostgreSQL. */
  cpuMs: number;
}

const cpuMs = ({ head, workers, postgres }: Fleet) =>
  [head.pid, postgres.pid(), ...workers.map(({ guard }) => guard.pid ?? 0)].reduce(
    (sum, pid) => sum + cpuMsBelow(pid),
    0,
  );

async function isQuiet(fleet: Fleet): Promise<boolean> {
  const { active } = Object((await fleet.client.get("/v1/capacity")).body);
  return active === 0 && (await fleet.status()).profiles.held === 0;
}

/** Wall time until the outcome is kept; processor time until the profiles are released. */
async function costOf(fleet: Fleet, scriptId: string, ids: string[], placement: string): Promise<Cost> {
  await eventually("the fleet is quiet", () => isQuiet(fleet));
  const cpuBefore = cpuMs(fleet);
  const from = performance.now();
  const concurrency = placement === "local" ? { concurrency: atOnce } : {};
  const id = await fleet.batch(scriptId, ids, { placement, ...concurrency });
  let status = "running";
  while (status === "running") {
    await new Promise((done) => setTimeout(done, lookMs));
    status = Object((await fleet.client.get(`/v1/runs/${id}`)).body).status;
  }
  const wallMs = performance.now() - from;
  assert.equal(status, "completed", JSON.stringify((await fleet.run(id)).profiles));
  await eventually("the fleet is quiet", () => isQuiet(fleet));
  return { wallMs, cpuMs: cpuMs(fleet) - cpuBefore };
}

function compare(t: TestContext, what: string, pairs: { base: Cost; other: Cost }[]): void {
  const of = (figure: (pair: { base: Cost; other: Cost }) => number) => median(pairs.map(figure));
  const wall = `${of(({ base }) => base.wallMs).toFixed(0)} and ${of(({ other }) => other.wallMs).toFixed(0)} ms`;
  const more = of(({ base, other }) => other.wallMs - base.wallMs).toFixed(0);
  const ratio = of(({ base, other }) => other.wallMs / base.wallMs).toFixed(2);
  const cpu = `${of(({ base }) => base.cpuMs).toFixed(0)} and ${of(({ other }) => other.cpuMs).toFixed(0)} ms`;
  const cpuRatio = of(({ base, other }) => other.cpuMs / base.cpuMs).toFixed(2);
  t.diagnostic(`${what}: ${wall}, ${more} ms more, ratio ${ratio}; processor ${cpu}, ratio ${cpuRatio}`);
}

async function inTurns(count: number, base: () => Promise<Cost>, other: () => Promise<Cost>) {
  const pairs: { base: Cost; other: Cost }[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    if (turn % 2 === 0) pairs.push({ base: await base(), other: await other() });
    else {
      const second = await other();
      pairs.push({ base: await base(), other: second });
    }
  }
  return pairs;
}

test("a part in the fleet, and one whose archive is fetched", needsPostgres, async (t) => {
  const fleet = await startFleet(["w1", "w2"], { browsers: 1 });
  try {
    const script = await fleet.script(visit);
    const [here = "", away = "", large = ""] = await fleet.createProfiles(3);
    const part = (id: string, placement: string) => () => costOf(fleet, script, [id], placement);
    await fleet.cli("fleet", "drain", "w2");
    const [local, cached] = [part(here, "local"), part(away, "fleet")];
    for (const warm of [local, cached, local, cached]) await warm();
    compare(t, "a part, local and on a worker", await inTurns(turns.part, local, cached));

    await part(large, "local")();
    const file = join(
      dirname(fleet.workers[0]?.dataDir ?? ""),
      "head",
      "profiles",
      large,
      "chromium",
      "Default",
      "large",
    );
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(largeBytes));
    await part(large, "fleet")();
    const [w1, w2] = fleet.workers.map(({ name }) => name);
    let [from = "", to = ""] = [w1, w2];
    const pairs: { base: Cost; other: Cost }[] = [];
    for (let turn = 0; turn < turns.fetch; turn += 1) {
      await fleet.cli("fleet", "drain", from);
      await fleet.cli("fleet", "drain", to, "--off");
      await part(away, "fleet")(); // The worker sees only by and by that it may claim.
      const other = await part(large, "fleet")();
      pairs.push({ base: await part(large, "fleet")(), other });
      [from, to] = [to, from];
    }
    compare(t, "a part of a profile of 10 MB, cached and fetched", pairs);
  } finally {
    await fleet.close();
  }
});

test("eight workers, and one machine with eight browsers", needsPostgres, async (t) => {
  const names = Array.from({ length: atOnce }, (_, index) => `w${index + 1}`);
  const fleet = await startFleet(names, { browsers: 1 });
  try {
    const script = await fleet.script(stay);
    const here = await fleet.createProfiles(batchParts);
    const away = await fleet.createProfiles(batchParts);
    const local = () => costOf(fleet, script, here, "local");
    const spread = () => costOf(fleet, script, away, "fleet");
    await local();
    await spread();
    compare(t, `${batchParts} parts, local and on eight workers`, await inTurns(turns.batch, local, spread));
  } finally {
    await fleet.close();
  }
});
