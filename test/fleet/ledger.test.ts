/** The ledger in PostgreSQL does what the ledger in memory does, in any order of calls. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createHeadLedger } from "../../actors/fleet/head-ledger.ts";
import type { Lease, Ledger } from "../../actors/fleet/ledger.ts";
import { openPostgres, type Postgres } from "../../actors/fleet/postgres.ts";
import { checkTables, prepareTables } from "../../actors/fleet/schema.ts";
import { createSeal, keyCheckOf, newKey, refuseOtherKey } from "../../actors/fleet/sealed.ts";
import { drainMachine, readStatus } from "../../actors/fleet/status.ts";
import { createWorkerLedger } from "../../actors/fleet/worker-ledger.ts";
import { Fault } from "../../protocol/faults.ts";
import { createMemoryLedger } from "../actors/fleet/memory-ledger.ts";
import { until } from "../gateway/serve.ts";
import { createRandom } from "../seeded-random.ts";
import { needsPostgres, noPostgres, startPostgres, type TestPostgres } from "./postgres.ts";

const keyCheck = keyCheckOf(createSeal(newKey()));
let server: TestPostgres;
let postgres: Postgres;

before(async () => {
  if (noPostgres !== false) return;
  server = await startPostgres();
  postgres = await openPostgres(server.uri);
  await prepareTables(postgres, "head", keyCheck);
});
after(async () => {
  if (noPostgres !== false) return;
  await postgres.close();
  await server.close();
});

const names = ["a", "b", "c"];
const ids = ["p1", "p2", "p3"];
const origin = { platform: "linux", engine: 1, label: "here" };
const archiveOf = (key: string) => ({ key, sha256: `sha of ${key}`, bytes: key.length });

type Step = [what: string, act: (ledger: Ledger) => Promise<unknown>];

/** The next call; leases are those that claims have returned, also old ones. */
function chosen(random: () => number, leases: Lease[], sessions: string[]): Step {
  const of = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const count = Math.floor(random() * 3);
  const id = of(ids);
  const part = { runId: `r${count}`, profileId: id };
  const session = of(sessions);
  const lease = of(leases) ?? { ...part, session, epoch: 1 };
  const archive = random() < 0.7 ? { ...archiveOf(`${lease.profileId}/${lease.epoch}`), ...origin } : null;
  const label = random() < 0.2 ? "there" : "here";
  const given = { ...origin, label, proxied: random() < 0.3, archive: archiveOf(`${id}/${random()}`) };
  const beat = Math.floor(random() * 3);
  const steps: Step[] = [
    ["claim", (ledger) => ledger.claim(session, 1, leases)],
    ["claim", (ledger) => ledger.claim(session, 1, leases)],
    ["begin", (ledger) => ledger.begin(lease)],
    ["finish", (ledger) => ledger.finish(lease, Buffer.from(String(lease.epoch)))],
    ["release", (ledger) => ledger.release(lease, archive)],
    ["unclaim", (ledger) => ledger.unclaim(lease)],
    ["beat", async (ledger) => ({ ...(await ledger.beat(session, { slots: 1, trouble: null })), now: 0 })],
    ["expire", (ledger) => ledger.expire(session, beat)],
    ["give", (ledger) => ledger.give(id, given)],
    ["publish", (ledger) => ledger.publish(part, Buffer.from("spec"))],
    ["publish", (ledger) => ledger.publish(part, Buffer.from("spec"))],
    ["abort", (ledger) => ledger.abort(part, "cancelled")],
    ["news", async (ledger) => sorted(await ledger.news())],
    ["noted", (ledger) => ledger.noted(part)],
    ["taken", (ledger) => ledger.taken(part)],
    ["take home", (ledger) => ledger.takeHome(id)],
    ["at home", (ledger) => ledger.atHome(id)],
    ["profile", (ledger) => ledger.profile(id)],
    ["sessions", async (ledger) => sorted(await ledger.sessions())],
  ];
  return of(steps);
}

const sorted = (items: readonly object[]) => items.map((item) => JSON.stringify(plain(item))).sort();

/** Without what the two keep differently: buffers, and the words of refusals. */
function plain(value: unknown): unknown {
  if (value instanceof Fault) return `refused: ${value.kind}`;
  return JSON.parse(
    JSON.stringify(value ?? null, (_key, field) =>
      field?.type === "Buffer" ? Buffer.from(field.data).toString() : field,
    ),
  );
}

const worker = (slots: number) => (session: string, index: number) => ({
  session,
  name: names[index] ?? "",
  label: "here",
  platform: "linux",
  engine: 1,
  troupe: "1",
  slots,
});

const answerOf = (asked: Promise<unknown>) => asked.then(plain, plain);

test("any order of calls has the same answers in PostgreSQL and in memory", needsPostgres, async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    await postgres.all(
      "TRUNCATE troupe_fleet.live_log, troupe_fleet.part, troupe_fleet.profile, troupe_fleet.worker",
    );
    const random = createRandom(seed);
    // No test waits for a machine that has the files: all workers have been away for longer.
    const memory = createMemoryLedger(() => Date.now());
    const real: Ledger = { ...createWorkerLedger(postgres), ...createHeadLedger(postgres) };
    const leases: Lease[] = [];
    const sessions = names.map((name) => `session of ${name}`);
    for (const joining of sessions.map(worker(2))) {
      await memory.join(joining);
      await real.join(joining);
    }
    const done: string[] = [];
    for (let step = 0; step < 150; step += 1) {
      const [what, act] = chosen(random, leases, sessions);
      // Two parts of one profile: the head never publishes the second before the first has ended.
      if (what === "publish" && [...memory.parts.values()].some(({ state }) => state !== "ended")) continue;
      const expected = await answerOf(act(memory));
      const answer = await answerOf(act(real));
      done.push(what);
      assert.deepEqual(answer, expected, `seed ${seed}, step ${step}: ${done.slice(-6).join(", ")}`);
      if (what === "claim") keepLeases(memory, leases);
    }
  }
});

function keepLeases({ parts }: ReturnType<typeof createMemoryLedger>, leases: Lease[]): void {
  for (const { runId, profileId, session, epoch } of parts.values())
    if (
      session !== null &&
      epoch !== null &&
      !leases.some((one) => one.epoch === epoch && one.profileId === profileId)
    )
      leases.push({ runId, profileId, session, epoch });
}

test("workers that claim at the same time never get the same profile", needsPostgres, async () => {
  await postgres.all(
    "TRUNCATE troupe_fleet.live_log, troupe_fleet.part, troupe_fleet.profile, troupe_fleet.worker",
  );
  const ledger: Ledger = { ...createWorkerLedger(postgres), ...createHeadLedger(postgres) };
  const profiles = Array.from({ length: 40 }, (_, index) => `profile ${index}`);
  for (const profileId of profiles) {
    await ledger.give(profileId, { ...origin, proxied: false, archive: archiveOf(profileId) });
    await ledger.publish({ runId: "run", profileId }, Buffer.from("spec"));
  }
  const sessions = names.map((name) => `session of ${name}`);
  for (const joining of sessions.map(worker(9))) await ledger.join(joining);
  const claimed: string[] = [];
  while (claimed.length < profiles.length) {
    const claims = await Promise.all(
      sessions.map((session) =>
        ledger.claim(
          session,
          3,
          claimed.map((profileId) => ({ runId: "run", profileId })),
        ),
      ),
    );
    claimed.push(...claims.flat().map(({ profileId }) => profileId));
  }
  assert.deepEqual([...claimed].sort(), [...profiles].sort());
});

test("a machine's own parts do not hold up those of a machine that is gone", needsPostgres, async () => {
  await postgres.all(
    "TRUNCATE troupe_fleet.live_log, troupe_fleet.part, troupe_fleet.profile, troupe_fleet.worker",
  );
  const ledger: Ledger = { ...createWorkerLedger(postgres), ...createHeadLedger(postgres) };
  for (const name of ["a", "b"]) await ledger.join({ session: name, name, ...origin, troupe: "1", slots: 9 });
  const publish = async (profileId: string) =>
    ledger.publish({ runId: profileId, profileId }, Buffer.from(""));
  for (const profileId of ids)
    await ledger.give(profileId, { ...origin, proxied: false, archive: archiveOf(profileId) });
  const keepers = { p1: "a", p2: "b", p3: "a" };
  for (const [profileId, session] of Object.entries(keepers)) {
    await publish(profileId);
    const [claim] = await ledger.claim(session, 1, []);
    assert.ok(claim);
    const lease = { ...claim, session };
    await ledger.finish(lease, Buffer.from(""));
    await ledger.release(lease, { ...archiveOf(`${profileId}/2`), ...origin });
    await ledger.taken(lease);
  }
  for (const profileId of ["p3", "p2", "p1"]) await publish(profileId);
  assert.equal((await ledger.claim("a", 1, []))[0]?.profileId, "p3", "its own");
  await ledger.leave("b");
  assert.equal((await ledger.claim("a", 1, [{ runId: "p3", profileId: "p3" }]))[0]?.profileId, "p2");
});

test("a worker that beats while it is being given up keeps its profiles", needsPostgres, async () => {
  await postgres.all(
    "TRUNCATE troupe_fleet.live_log, troupe_fleet.part, troupe_fleet.profile, troupe_fleet.worker",
  );
  const ledger: Ledger = { ...createWorkerLedger(postgres), ...createHeadLedger(postgres) };
  await ledger.give("p1", { ...origin, proxied: false, archive: archiveOf("p1") });
  await ledger.publish({ runId: "run", profileId: "p1" }, Buffer.from("spec"));
  for (const name of ["a", "b"]) await ledger.join({ session: name, name, ...origin, troupe: "1", slots: 1 });
  const seen = await ledger.sessions();
  const beatOf = (name: string) => seen.find(({ session }) => session === name)?.beat ?? -1;
  // Its beat and its claim are about to be committed when the watcher, which has seen neither, gives it up.
  const given = await postgres.transaction(async (sql) => {
    const beating = createWorkerLedger({ ...postgres, all: sql.all });
    await beating.beat("a", { slots: 1, trouble: null });
    assert.equal((await beating.claim("a", 1, [])).length, 1);
    const giving = ledger.expire("a", beatOf("a"));
    await until("the watcher waits for the row", async () => {
      const waits =
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'troupe'";
      return (await postgres.all(waits)).length > 0;
    });
    return { giving };
  });
  assert.equal(await given.giving, false);
  assert.deepEqual(await ledger.claim("b", 1, []), []);
  assert.equal((await ledger.beat("a", { slots: 1, trouble: null })).lost, false);
  assert.equal(await ledger.expire("b", beatOf("b")), true);
});

test("a database has one head, a key and a version", needsPostgres, async () => {
  await assert.rejects(prepareTables(postgres, "another", keyCheck), { kind: "conflict" });
  await assert.rejects(checkTables(postgres, "another"), { kind: "conflict" });
  const stored = await checkTables(postgres, "head");
  assert.throws(() => refuseOtherKey(createSeal(newKey()), stored), {
    kind: "invalid",
    message: /join token/,
  });
  await postgres.all("UPDATE troupe_fleet.fleet SET version = 99");
  await assert.rejects(checkTables(postgres, "head"), { message: /later release/ });
  await postgres.all("UPDATE troupe_fleet.fleet SET version = 0");
  await assert.rejects(checkTables(postgres, "head"), { message: /troupe fleet on/ });
  await postgres.all("UPDATE troupe_fleet.fleet SET version = 2");
});

test("a call whose answer was lost has the same answer again", needsPostgres, async () => {
  await postgres.all(
    "TRUNCATE troupe_fleet.live_log, troupe_fleet.part, troupe_fleet.profile, troupe_fleet.worker",
  );
  const ledger: Ledger = { ...createWorkerLedger(postgres), ...createHeadLedger(postgres) };
  const part = { runId: "run", profileId: "p1" };
  for (const _ of [1, 2]) await ledger.join(worker(2)("s", 0));
  await ledger.give("p1", { ...origin, proxied: false, archive: archiveOf("p1") });
  await ledger.publish(part, Buffer.from("spec"));
  const [claim] = await ledger.claim("s", 1, []);
  const lease = { ...part, session: "s", epoch: claim?.epoch ?? 0 };
  assert.equal(await ledger.begin(lease), true);
  await ledger.abort(part, "cancelled");
  assert.equal(await ledger.begin(lease), true, "its script may run: it needs an outcome");
  for (const _ of [1, 2]) assert.equal(await ledger.finish(lease, Buffer.from("outcome")), true);
  for (const _ of [1, 2])
    assert.equal((await ledger.release(lease, { ...archiveOf("p1/2"), ...origin })).released, true);
});

test("the status says what waits and why", needsPostgres, async () => {
  await postgres.all(
    "TRUNCATE troupe_fleet.live_log, troupe_fleet.part, troupe_fleet.profile, troupe_fleet.worker",
  );
  const ledger: Ledger = { ...createWorkerLedger(postgres), ...createHeadLedger(postgres) };
  await ledger.give("p1", { ...origin, label: "there", proxied: false, archive: archiveOf("p1") });
  await ledger.publish({ runId: "run", profileId: "p1" }, Buffer.from("spec"));
  assert.match((await readStatus(postgres)).waiting[0]?.why ?? "", /for a machine: none/);
  await ledger.join({
    session: "s",
    name: "a",
    label: "here",
    platform: "linux",
    engine: 1,
    troupe: "1",
    slots: 2,
  });
  assert.match((await readStatus(postgres)).waiting[0]?.why ?? "", /label there/);
  await assert.rejects(drainMachine(postgres, "nobody", true), {
    kind: "not-found",
    message: /no worker named nobody/,
  });
  await drainMachine(postgres, "a", true);
  assert.equal((await readStatus(postgres)).workers[0]?.state, "is drained");
});

test("a PostgreSQL that is away, or refuses, is said in words", needsPostgres, async () => {
  const away = await openPostgres("postgres://troupe@127.0.0.1:1/x");
  await assert.rejects(away.all("SELECT 1"), {
    kind: "internal",
    message: /127\.0\.0\.1:1\/x refuses connections/,
  });
  const missing = await openPostgres(server.uri.replace(/postgres$/, "nowhere"));
  await assert.rejects(missing.all("SELECT 1"), { message: /has no such database/ });
  const encrypted = await openPostgres(`${server.uri}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`)
    .then((one) => one.all("SELECT 1").finally(() => one.close()))
    .catch((error: unknown) => error);
  assert.match(String(encrypted), /needs the file \/nowhere\/ca\.pem/);
  await Promise.all([away.close(), missing.close()]);
  await assert.rejects(openPostgres("mysql://x"), { kind: "invalid" });
});
