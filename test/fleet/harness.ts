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
  /** After the faults every profile moves over so many workers. */
  moves: number;
  seed: number;
  /** Parts of the names of the faults that are wanted; default: all. */
  kinds?: readonly string[];
}

interface Findings {
  parts: number;
  completed: number;
  interrupted: number;
  /** Messages of parts that failed otherwise, such as a page that did not load in time. */
  otherwise: string[];
  /** Profiles that two browsers had open at once. */
  overlaps: string[];
  begunTwice: string[];
  unaccounted: string[];
  /** Profiles whose files went back to an earlier state, or that lost their login. */
  older: string[];
  /** Profiles whose next visit had not the cookies of a completed one: their worker was lost before it had stored them. */
  lostChanges: number;
  /** Parts that completed without a fault, and whose profile was not stored; and what workers logged of others. */
  unkept: string[];
  faults: Record<string, number>;
}

/** A batch, on these profiles. */
interface Round {
  runId: string;
  profiles: string[];
}

const lookMs = 250;
const script = `export default async function run({ page, profile, variables, sleep }) {
  await page.goto(variables.site + "/visit?who=" + profile.id + "&round=" + variables.round);
  await sleep(1_000 + Math.random() * 5_000);
  return { login: await page.textContent("#login") };
}`;

/** Runs it, says what it found, and fails when a promise of the fleet was broken. */
export async function checkUnderFaults(plan: Plan, say: (line: string) => void): Promise<void> {
  assertSound(await runHarness(plan, say), say);
}

async function runHarness(plan: Plan, say: (line: string) => void): Promise<Findings> {
  const random = createRandom(plan.seed);
  const wires = await openWires();
  const names = Array.from({ length: plan.workers }, (_, index) => `w${index + 1}`);
  const fleet = await startFleet(names, { wires, browsers: plan.browsers });
  const watch = await watchEpochs(fleet);
  const rounds: Round[] = [];
  const unkept: string[] = [];
  const counts: Record<string, number> = {};
  try {
    const scriptId = await fleet.script(script);
    const profiles = await fleet.createProfiles(plan.profiles);
    const more = async (on = profiles): Promise<Round> => {
      const variables = { site: fleet.site.url, round: String(rounds.length) };
      const round = { runId: await insisted(() => fleet.batch(scriptId, on, { variables })), profiles: on };
      rounds.push(round);
      return round;
    };
    for (let count = 0; count < plan.batches; count += 1) await more();
    await eventually("parts run", () => fleet.site.visits.length > 0);
    const { kinds = [""] } = plan;
    const makers = faultMakers(fleet, wires, random).filter(({ name }) =>
      kinds.some((kind) => name.includes(kind)),
    );
    for (let count = 0; count < plan.faults; count += 1) {
      if (await allEnded(fleet, rounds)) await more();
      const maker = next(makers, count, random);
      counts[maker.name] = (counts[maker.name] ?? 0) + 1;
      await suffer(maker, fleet, say);
    }
    await eventually("all runs have ended", () => allEnded(fleet, rounds));
    const mover = { fleet, profiles, more, rounds, notKeptBy: watch.notKeptBy, say };
    for (const name of names.slice(0, plan.moves)) unkept.push(...(await moveTo(name, names, mover)));
    for (const name of names) unkept.push(...fleet.logged(name, '"a profile keeps its earlier state"'));
    const found = await findingsOf(fleet, rounds);
    return { ...found, older: [...watch.older, ...olderOf(fleet)], unkept, faults: counts };
  } finally {
    await watch.close();
    await fleet.close();
    await wires.close();
  }
}

interface Mover {
  fleet: Fleet;
  profiles: string[];
  more(on: string[]): Promise<Round>;
  rounds: readonly Round[];
  notKeptBy(name: string): Promise<string[]>;
  say(line: string): void;
}

/** Every profile runs on this machine alone, until it has kept each. Returns those that it did not keep although their part had completed. */
async function moveTo(name: string, names: readonly string[], mover: Mover): Promise<string[]> {
  const { fleet, profiles, more, rounds, notKeptBy, say } = mover;
  const unkept: string[] = [];
  for (const other of names) await fleet.cli("fleet", "drain", other, ...(other === name ? ["--off"] : []));
  // A part that its machine interrupts has not moved its profile.
  for (let left = profiles; left.length > 0; ) {
    const { runId } = await more(left);
    await eventually(`${name} has run them all`, () => allEnded(fleet, rounds));
    await eventually("all are released", async () => (await fleet.status()).profiles.held === 0);
    left = await notKeptBy(name);
    say(`${name} has kept ${profiles.length - left.length} of ${profiles.length} profiles`);
    for (const { profileId, status, error } of (await fleet.run(runId)).profiles) {
      if (!left.includes(profileId)) continue;
      say(`${profileId}: ${status} ${error ?? ""}\n${fleet.logged(name, profileId).join("\n")}`);
      if (status === "completed") unkept.push(`${profileId} by ${name}`);
    }
  }
  return unkept;
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

async function allEnded(fleet: Fleet, rounds: readonly Round[]): Promise<boolean> {
  for (const { runId } of rounds)
    if ((await insisted(() => fleet.run(runId))).run.status === "running") return false;
  return true;
}

async function findingsOf(
  fleet: Fleet,
  rounds: readonly Round[],
): Promise<Omit<Findings, "older" | "unkept" | "faults">> {
  const begun = new Map<string, number>();
  const completed = new Set<string>();
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
  for (const [round, { runId, profiles }] of rounds.entries()) {
    const { profiles: parts } = await fleet.run(runId);
    const known = new Map(parts.map((part) => [part.profileId, part]));
    for (const profileId of profiles) {
      const part = known.get(profileId);
      const visits = begun.get(`${round} ${profileId}`) ?? 0;
      found.parts += 1;
      if (part?.status === "completed") completed.add(`${round} ${profileId}`);
      if (part?.status === "completed" && visits === 1) found.completed += 1;
      else if (part?.status === "failed" && part.error === "interrupted") found.interrupted += 1;
      else if (part?.status === "failed") found.otherwise.push(String(part.error));
      else found.unaccounted.push(`${round} ${profileId}: ${part?.status}, ${visits} visits`);
    }
    assert.equal(parts.length, profiles.length);
  }
  const begunTwice = [...begun].flatMap(([key, count]) => (count > 1 ? [key] : []));
  const lostChanges = lostChangesOf(fleet, completed);
  return { ...found, overlaps: fleet.site.overlaps, begunTwice, lostChanges };
}

/** Each visit has the cookies of an earlier one; later visits never have those of one before it. */
function olderOf(fleet: Fleet): string[] {
  const newest = new Map<string, number>();
  const found: string[] = [];
  for (const [place, { who, from }] of fleet.site.visits.entries()) {
    const before = newest.get(who) ?? null;
    if (before !== null && (from === null || from < before))
      found.push(`${who}: visit ${place} had the cookies of ${from}, after one that had those of ${before}`);
    if (from !== null) newest.set(who, Math.max(from, before ?? 0));
  }
  return found;
}

function lostChangesOf(fleet: Fleet, completed: ReadonlySet<string>): number {
  const last = new Map<string, { place: number; key: string }>();
  let lost = 0;
  for (const [place, { who, round, from }] of fleet.site.visits.entries()) {
    const before = last.get(who);
    if (before !== undefined && completed.has(before.key) && from !== before.place) lost += 1;
    last.set(who, { place, key: `${round} ${who}` });
  }
  return lost;
}

interface Seen {
  epoch: number;
  archive: number;
}

/** Watches that no profile's epoch, and no epoch of its archive, ever goes back, and that the archive is the one of its epoch. */
async function watchEpochs(fleet: Fleet) {
  const postgres: Postgres = await openPostgres(fleet.postgres.uri, 1);
  const last = new Map<string, Seen>();
  const older = new Set<string>();
  let over = false;
  const look = async () => {
    const rows = await postgres.all(
      "SELECT profile_id, epoch, archive_epoch, archive FROM troupe_fleet.profile",
    );
    for (const { profile_id, epoch, archive_epoch, archive } of rows) {
      const id = String(profile_id);
      const now: Seen = { epoch: Number(epoch), archive: Number(archive_epoch) };
      const before = last.get(id) ?? now;
      if (now.epoch < before.epoch || now.archive < before.archive)
        older.add(`${id}: from ${JSON.stringify(before)} to ${JSON.stringify(now)}`);
      const writer = archiveWriter(archive);
      if (writer !== null && writer !== now.archive)
        older.add(`${id}: an archive of epoch ${writer} as that of ${now.archive}`);
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
    get older() {
      return [...older];
    },
    async notKeptBy(name: string): Promise<string[]> {
      const rows = await postgres.all(
        "SELECT profile_id FROM troupe_fleet.profile WHERE last_worker IS DISTINCT FROM $1 OR archive_epoch <> epoch",
        [name],
      );
      return rows.map(({ profile_id }) => String(profile_id));
    },
    async close() {
      over = true;
      await watching;
      await postgres.close();
    },
  };
}

/** The epoch in an archive's key, which its writer chose; null: the head wrote it. */
function archiveWriter(key: unknown): number | null {
  const [, , epoch] = String(key).split("/");
  return epoch === undefined || epoch === "head" ? null : Number(epoch);
}

function assertSound(findings: Findings, say: (line: string) => void): void {
  const { overlaps, begunTwice, unaccounted, older, unkept, otherwise, ...figures } = findings;
  say(JSON.stringify({ ...figures, otherwise }));
  assert.deepEqual(
    { overlaps, begunTwice, unaccounted, older, unkept },
    { overlaps: [], begunTwice: [], unaccounted: [], older: [], unkept: [] },
  );
}
