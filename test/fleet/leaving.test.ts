/** Switching the fleet off: nothing is lost, whatever is in the way. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { filesPrefix } from "../../actors/fleet/archives.ts";
import { hasTables } from "../../actors/fleet/schema.ts";
import { readStatus } from "../../actors/fleet/status.ts";
import { readProfileArchive } from "../../storage/profile-archive.ts";
import { until } from "../gateway/serve.ts";
import { openHead } from "./head.ts";
import { needsPostgres, noPostgres, startPostgres, type TestPostgres } from "./postgres.ts";

let server: TestPostgres;
before(async () => {
  if (noPostgres === false) server = await startPostgres();
});
after(async () => {
  if (noPostgres === false) await server.close();
});

type Head = Awaited<ReturnType<typeof openHead>>;

const queued = ({ postgres }: Head, count: number) =>
  until("the parts wait in the fleet", async () => (await readStatus(postgres)).parts.queued === count);
const ended = ({ library }: Head, runId: string) =>
  until("the run has ended", async () => (await library.readRun({ runId })).status !== "running");
const stored = ({ store }: Head) =>
  readdirSync(store, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length - 1;
const off = ({ runs }: Head, drain = false) => runs.leaveFleet({ drain });

test(
  "a head leaves its fleet when its runs have ended and its profiles are home",
  needsPostgres,
  async (t) => {
    const head = await openHead(t, server.uri);
    const [first = "", second = "", third = ""] = await head.createProfiles(3);
    for (const id of [first, second, third]) head.write(id, "before");
    const run = await head.start([first, second]);
    await queued(head, 2);
    await assert.rejects(off(head), {
      kind: "conflict",
      message: new RegExp(`run ${run.id} is in the fleet`),
    });
    assert.deepEqual(await off(head, true), { left: false, runs: 1, away: 0, waits: null });
    await assert.rejects(head.start([third]), { kind: "invalid", message: /being switched off/ });
    await head.joinWorker();
    const claims = await head.claim();
    for (const claim of claims) await head.work(claim);
    await ended(head, run.id);
    await head.library.trashProfiles({ profileIds: [second] });
    const held = await off(head, true);
    assert.deepEqual([held.left, held.away], [false, 2]);
    assert.match(held.waits ?? "", /the worker w1 has had profile/);
    for (const { runId, profileId, epoch } of claims) {
      head.write(profileId, "elsewhere");
      await head.ledger.release({ runId, profileId, epoch, session: "s" }, null);
    }
    renameSync(head.store, `${head.store}.away`);
    await assert.rejects(off(head), { kind: "internal", message: /is away: mount it/ });
    renameSync(`${head.store}.away`, head.store);
    assert.deepEqual(await off(head), { left: true, runs: 0, away: 0, waits: null });
    assert.deepEqual([head.read(first), head.read(second), head.read(third)], ["before", "before", "before"]);
    assert.equal(await hasTables(head.postgres), false);
    assert.deepEqual(await head.library.profilesInFleet({}), { profileIds: [] });
    await until("the store is empty", () => stored(head) === 0);
    await assert.rejects(head.start([third]), { kind: "invalid", message: /troupe fleet on/ });
    await assert.rejects(off(head), { kind: "conflict", message: /start it again/ });
  },
);

test("a part of a run that the library does not know holds up nothing", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const archive = { key: "profiles/gone/1/x", sha256: "x", bytes: 1 };
  await head.ledger.give("gone", { ...head.origin, proxied: false, archive });
  await head.ledger.publish({ runId: "gone", profileId: "gone" }, Buffer.from("spec"));
  await until("the fleet is off", async () => (await off(head)).left);
});

test("a lost archive is named, and holds up no other profile", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const [first = "", second = ""] = await head.createProfiles(2);
  for (const id of [first, second]) head.write(id, "files");
  const run = await head.start([first, second]);
  await queued(head, 2);
  await head.runs.cancel({ runId: run.id });
  await ended(head, run.id);
  for (const [column, words] of [
    ["sha256", "is damaged"],
    ["archive", "is not in the archive store"],
  ]) {
    await head.postgres.all(`UPDATE troupe_fleet.profile SET ${column} = 'other' WHERE profile_id = $1`, [
      first,
    ]);
    const message = new RegExp(`profile ${first} cannot be fetched: .* ${words}.*; put its archive back`);
    await assert.rejects(off(head), { kind: "conflict", message });
    await assert.rejects(head.runs.bringHome({ profileId: first }), { kind: "conflict", message });
  }
  assert.deepEqual(await head.library.profilesInFleet({}), { profileIds: [first] });
  await head.library.trashProfiles({ profileIds: [first] });
  await head.library.deleteForGood({ profileIds: [first] });
  assert.equal((await off(head)).left, true);
});

test("a run's files leave the store when the head has them", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const [first = ""] = await head.createProfiles(1);
  const run = await head.start([first]);
  await queued(head, 1);
  await head.joinWorker();
  const [claim] = await head.claim();
  assert.ok(claim);
  const before = stored(head);
  const file = join(head.dataDir, "shot.png");
  writeFileSync(file, "a picture");
  const archive = await head.archives.put(filesPrefix(run.id, first, claim.epoch), file);
  assert.equal(stored(head), before + 1);
  await head.work(claim, [{ name: "shot.png", archive }]);
  await ended(head, run.id);
  await until("the store has no file of the run", () => stored(head) === before);
  const [part] = (await head.library.runProfiles({ runId: run.id, offset: 0, limit: 1 })).profiles;
  assert.deepEqual([part?.status, part?.log], ["completed", []]);
});

test("tables that are gone while profiles are in the fleet are said", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const [first = ""] = await head.createProfiles(1);
  await head.library.giveProfile({ profileId: first });
  await head.postgres.all("DROP SCHEMA troupe_fleet CASCADE");
  await assert.rejects(off(head), { kind: "conflict", message: /restore the database/ });
});

test("an archive that a fetch has left does not pass for the newest files", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const [first = ""] = await head.createProfiles(1);
  head.write(first, "older");
  const run = await head.start([first]);
  await queued(head, 1);
  await head.runs.cancel({ runId: run.id });
  await ended(head, run.id);
  const before = await head.ledger.profile(first);
  await head.runs.bringHome({ profileId: first });
  // As if the head had been killed before it told the ledger.
  const { key = "", sha256, bytes } = before?.archive ?? {};
  const values = [first, key, sha256, bytes];
  await head.postgres.all(
    "UPDATE troupe_fleet.profile SET archive = $2, sha256 = $3, bytes = $4 WHERE profile_id = $1",
    values,
  );
  head.write(first, "newer");
  renameSync(head.store, `${head.store}.away`);
  const again = await head.start([first]);
  await until("the first try has failed", () => head.lines.some((line) => line.includes("is away")));
  renameSync(`${head.store}.away`, head.store);
  await queued(head, 1);
  const { archive } = (await head.ledger.profile(first)) ?? {};
  assert.ok(archive);
  const dir = mkdtempSync(join(tmpdir(), "troupe-fetched-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await head.archives.get(archive, join(dir, "archive"));
  await readProfileArchive(join(dir, "archive"), join(dir, "files"));
  assert.equal(readFileSync(join(dir, "files", "chromium", "Preferences"), "utf8"), "newer");
  await head.runs.cancel({ runId: again.id });
});
