/** A fleet under faults, one after the other: whether a profile was ever open twice, and what became of each part. */
import assert from "node:assert/strict";
import { openPostgres, type Postgres } from "../../actors/fleet/postgres.ts";
import { createRandom } from "../seeded-random.ts";
import { type Fault, type FaultMaker, faultMakers } from "./faults.ts";
import { eventually, type Fleet, startFleet } from "./fleet.ts";
import { openWires } from "./wires.ts";

export interface Plan {
  workers: number;
  browsers: number;
  profiles: number;
  /** At least; more while faults are left. */
  batches: number;
  faults: number;
  seed: number;
}

export interface Findings {
  parts: number;
  completed: number;
  interrupted: number;
  /** Messages of parts that failed otherwise, such as a page that did not load in time. */
  otherwise: string[];
  /** Profiles that two browsers had open at once. */
  overlaps: string[];
  begunTwice: string[];
  unaccounted: string[];
  /** Profiles whose next visit showed an earlier state than before. */
  older: string[];
  faults: Record<string, number>;
}

const lookMs = 250;
const script = `export default async function run({ page, profile, variables, sleep }) {
  await page.goto(variables.site + "/visit?who=" + profile.id + "&round=" + variables.round);
  await sleep(1_000 + Math.random() * 5_000);
  return { login: await page.textContent("#login") };
}`;

export async function runHarness(plan: Plan, say: (line: string) => void): Promise<Findings> {
  const random = createRandom(plan.seed);
  const wires = await openWires();
  const names = Array.from({ length: plan.workers }, (_, index) => `w${index + 1}`);
  const fleet = await startFleet(names, { wires, browsers: plan.browsers });
  const watch = await watchEpochs(fleet);
  const runIds: string[] = [];
  const counts: Record<string, number> = {};
  try {
    const scriptId = await fleet.script(script);
    const profiles = await fleet.createProfiles(plan.profiles);
    const more = async () => {
      const variables = { site: fleet.site.url, round: String(runIds.length) };
      runIds.push(await insisted(() => fleet.batch(scriptId, profiles, { variables })));
    };
    for (let count = 0; count < plan.batches; count += 1) await more();
    await eventually("parts run", () => fleet.site.visits.length > 0);
    const makers = faultMakers(fleet, wires, random);
    for (let count = 0; count < plan.faults; count += 1) {
      if (await allEnded(fleet, runIds)) await more();
      const maker = next(makers, count, random);
      counts[maker.name] = (counts[maker.name] ?? 0) + 1;
      await suffer(maker, fleet, say);
    }
    await eventually("all runs have ended", () => allEnded(fleet, runIds));
    await eventually("all profiles are released", async () => (await fleet.status()).profiles.held === 0);
    return {
      ...(await findingsOf(fleet, runIds, profiles)),
      older: olderOf(fleet, watch.older),
      faults: counts,
    };
  } finally {
    await watch.close();
    await fleet.close();
    await wires.close();
  }
}

/** Each kind once, then by chance. */
function next(makers: readonly FaultMaker[], count: number, random: () => number): FaultMaker {
  const maker = makers[count] ?? makers[Math.floor(random() * makers.length)];
  assert.ok(maker);
  return maker;
}

async function suffer(maker: FaultMaker, fleet: Fleet, say: (line: string) => void): Promise<void> {
  const fault: Fault = await maker.begin();
  say(`${maker.name} ${fault.where} (${fleet.site.visits.length} visits)`);
  try {
    await fault.lasts();
  } finally {
    await fault.heal();
  }
  const visits = fleet.site.visits.length;
  // A part begins, or there is nothing to begin: the fleet goes on.
  await eventually("the fleet goes on", async () => {
    if (fleet.site.visits.length > visits) return true;
    const { parts } = await fleet.status();
    return parts.queued + parts.claimed + parts.begun === 0;
  });
}

/** The head may be starting. */
async function insisted<T>(act: () => Promise<T>): Promise<T> {
  let value: { is: T } | null = null;
  await eventually("the head answers", async () => {
    value = { is: await act() };
    return true;
  });
  assert.ok(value);
  return (value as { is: T }).is;
}

async function allEnded(fleet: Fleet, runIds: readonly string[]): Promise<boolean> {
  for (const id of runIds) if ((await insisted(() => fleet.run(id))).run.status === "running") return false;
  return true;
}

async function findingsOf(
  fleet: Fleet,
  runIds: readonly string[],
  profiles: readonly string[],
): Promise<Omit<Findings, "older" | "faults">> {
  const begun = new Map<string, number>();
  for (const { who, round } of fleet.site.visits) {
    const key = `${round} ${who}`;
    begun.set(key, (begun.get(key) ?? 0) + 1);
  }
  const found = {
    parts: 0,
    completed: 0,
    interrupted: 0,
    otherwise: [] as string[],
    unaccounted: [] as string[],
  };
  for (const [round, id] of runIds.entries()) {
    const { profiles: parts } = await fleet.run(id);
    const known = new Map(parts.map((part) => [part.profileId, part]));
    for (const profileId of profiles) {
      const part = known.get(profileId);
      const visits = begun.get(`${round} ${profileId}`) ?? 0;
      found.parts += 1;
      if (part?.status === "completed" && visits === 1) found.completed += 1;
      else if (part?.status === "failed" && part.error === "interrupted") found.interrupted += 1;
      else if (part?.status === "failed") found.otherwise.push(String(part.error));
      else found.unaccounted.push(`${round} ${profileId}: ${part?.status}, ${visits} visits`);
    }
    assert.equal(parts.length, profiles.length);
  }
  const begunTwice = [...begun].flatMap(([key, count]) => (count > 1 ? [key] : []));
  return { ...found, overlaps: fleet.site.overlaps, begunTwice };
}

/** A visit counts one more than the last one that was kept; a lost one is counted again, and an older archive counts less. */
function olderOf(fleet: Fleet, older: readonly string[]): string[] {
  const last = new Map<string, { count: number; login: string }>();
  const found = [...older];
  for (const { who, count, login } of fleet.site.visits) {
    const before = last.get(who) ?? { count: 0, login };
    if (count < before.count || (count > 1 && login !== before.login))
      found.push(`${who}: visit ${count} as ${login} after visit ${before.count} as ${before.login}`);
    last.set(who, { count, login });
  }
  return found;
}

/** Watches that no profile's epoch, and no epoch of its archive, ever goes back. */
async function watchEpochs(fleet: Fleet) {
  const postgres: Postgres = await openPostgres(fleet.postgres.uri, 1);
  const last = new Map<string, { epoch: number; archive: number }>();
  const older: string[] = [];
  let over = false;
  const look = async () => {
    const rows = await postgres.all("SELECT profile_id, epoch, archive_epoch FROM troupe_fleet.profile");
    for (const { profile_id, epoch, archive_epoch } of rows) {
      const id = String(profile_id);
      const now = { epoch: Number(epoch), archive: Number(archive_epoch) };
      const before = last.get(id) ?? now;
      if (now.epoch < before.epoch || now.archive < before.archive)
        older.push(`${id}: from ${JSON.stringify(before)} to ${JSON.stringify(now)}`);
      last.set(id, now);
    }
  };
  const watching = (async () => {
    while (!over) {
      await look().catch(() => {}); // PostgreSQL is away for now.
      await new Promise((done) => setTimeout(done, lookMs));
    }
  })();
  return {
    older,
    async close() {
      over = true;
      await watching;
      await postgres.close();
    },
  };
}

export function assertSound(findings: Findings, say: (line: string) => void): void {
  const { overlaps, begunTwice, unaccounted, older, otherwise, ...figures } = findings;
  say(JSON.stringify({ ...figures, otherwise }));
  assert.deepEqual(
    { overlaps, begunTwice, unaccounted, older },
    { overlaps: [], begunTwice: [], unaccounted: [], older: [] },
  );
}
