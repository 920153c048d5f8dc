/** What health and metrics say of a fleet, and while its PostgreSQL is away. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Gauge, Registry } from "prom-client";
import { readStatus } from "../../actors/fleet/status.ts";
import { createFleetGauges } from "../../gateway/fleet-gauges.ts";
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

test("health counts workers, slots and parts, and says when PostgreSQL is away", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const empty = { workers: 0, slots: 0, waiting: 0, leased: 0, oldest_beat_secs: null };
  assert.deepEqual(await head.runs.fleetHealth({}), { figures: empty, trouble: null });
  const ids = await head.createProfiles(2);
  for (const id of ids) head.write(id, "files");
  const run = await head.start(ids);
  await until("parts wait", async () => (await readStatus(head.postgres)).parts.queued === 2);
  await head.joinWorker();
  await head.postgres.all("UPDATE troupe_fleet.worker SET seen_at = now() - interval '1 hour'");
  const [claim] = await head.ledger.claim("s", 1, []);
  assert.ok(claim);
  const { figures } = (await head.runs.fleetHealth({})) ?? {};
  assert.deepEqual(
    { ...figures, oldest_beat_secs: (figures?.oldest_beat_secs ?? 0) >= 3_600 },
    { workers: 1, slots: 9, waiting: 1, leased: 1, oldest_beat_secs: true },
  );
  await server.stop();
  const away = await head.runs.fleetHealth({});
  assert.equal(away?.figures, null);
  assert.match(
    away?.trouble ?? "",
    /PostgreSQL .*(refuses connections|cut the connection|does not answer|shutting down|fails)/,
  );
  await server.start();
  await until("PostgreSQL answers again", async () => (await head.runs.fleetHealth({}))?.trouble === null);
  await head.runs.cancel({ runId: run.id });
  await head.ledger.release(await head.work(claim), null);
  await until("the fleet is off", async () => (await head.runs.leaveFleet({ drain: true })).left);
  assert.equal(await head.runs.fleetHealth({}), null);
});

test("metrics have a fleet's figures only while they are known", async () => {
  const registry = new Registry();
  const set = createFleetGauges(
    (name, help, labelNames) => new Gauge({ name, help, labelNames, registers: [registry] }),
  );
  const lines = async () => (await registry.metrics()).split("\n").filter((line) => /^[a-z]/.test(line));
  set(null);
  assert.deepEqual(await lines(), []);
  const figures = { workers: 2, slots: 8, waiting: 3, leased: 4, oldest_beat_secs: 5 };
  set({ figures, trouble: null });
  assert.deepEqual(await lines(), [
    'answers{of="postgresql"} 1',
    'workers{state="joined"} 2',
    'slots{state="max"} 8',
    'parts{state="waiting"} 3',
    'parts{state="leased"} 4',
    'beat_age_seconds{of="oldest"} 5',
  ]);
  set({ figures: null, trouble: "away" });
  assert.deepEqual(await lines(), ['answers{of="postgresql"} 0']);
  set(null);
  assert.deepEqual(await lines(), []);
});
