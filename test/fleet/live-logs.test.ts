/** Lines of running scripts in PostgreSQL: only of open parts whose log somebody reads, and gone with the part. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Claim } from "../../actors/fleet/ledger.ts";
import { createLiveLogs } from "../../actors/fleet/live-logs.ts";
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

test("a worker hears of readers, and the log is there until the outcome is", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const logs = createLiveLogs(head.postgres);
  const [profileId = ""] = await head.createProfiles(1);
  head.write(profileId, "files");
  const run = await head.start([profileId]);
  const part = { runId: run.id, profileId };
  const log = (text: string, count: number) => ({ ...part, sealed: Buffer.from(text), count });
  const beat = async () => (await head.ledger.beat("s", { slots: 9, trouble: null })).read;
  await head.joinWorker();
  let claim: Claim | undefined;
  await until("the part is claimed", async () => {
    [claim] = await head.claim();
    return claim !== undefined;
  });
  assert.ok(claim);
  const lease = { ...part, session: "s", epoch: claim.epoch };
  await head.ledger.begin(lease);
  await logs.write([log("nobody reads", 1)]);
  assert.deepEqual(await logs.read([]), []);
  assert.deepEqual(await beat(), []);
  const stranger = { runId: run.id, profileId: "stranger", after: 0 };
  const wishes = [{ ...part, after: 0 }, stranger, { ...part, after: 5 }];
  assert.deepEqual(await logs.read(wishes), []);
  assert.deepEqual(await beat(), [part]);
  await logs.write([log("three lines", 3)]);
  await logs.write([log("late", 2)]);
  const [found, ...more] = await logs.read(wishes);
  assert.deepEqual([String(found?.sealed), found?.count, more], ["three lines", 3, []]);
  assert.deepEqual(await logs.read([{ ...part, after: 3 }]), []);
  assert.deepEqual(await head.runs.working({ runId: run.id }), {
    profileIds: [profileId],
    away: [profileId],
  });
  await head.postgres.all("UPDATE troupe_fleet.live_log SET wanted_at = now() - interval '1 minute'");
  assert.deepEqual(await beat(), []);
  await head.work(claim);
  await head.ledger.release(lease, null);
  const left = () => head.postgres.all("SELECT * FROM troupe_fleet.live_log");
  await until("the outcome is stored", async () => (await left()).length === 0);
});
