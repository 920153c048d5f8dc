/** A fleet has one head, also when its data directory was copied. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createHeadship } from "../../actors/fleet/headship.ts";
import { readStatus } from "../../actors/fleet/status.ts";
import { sessionFileIn } from "../../actors/runs/fleet-session.ts";
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

const refused = { kind: "conflict", message: /another service is the head of this fleet/ };

test("a copy of the head takes nothing from the fleet while the head lives", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const queued = async (count: number) => (await readStatus(head.postgres)).parts.queued === count;
  const profiles = await head.createProfiles(1);
  const run = await head.start(profiles);
  await until("the head's part waits in the fleet", () => queued(1));
  const copy = await openHead(t, server.uri, head.dataDir);
  const [kept = "", away = ""] = await copy.createProfiles(2);
  await copy.start([kept]);
  await until("the copy says why its part waits", () =>
    copy.lines.some((line) => line.includes("another service is the head")),
  );
  await copy.library.giveProfile({ profileId: away });
  await assert.rejects(copy.runs.bringHome({ profileId: away }), refused);
  await head.joinWorker();
  for (const claim of await head.claim()) await head.work(claim);
  await until("the head has the outcome", async () => {
    const { status } = await head.library.readRun({ runId: run.id });
    return status === "completed";
  });
  await head.runs.close({});
  await until("the copy is the head when the head has ended", () => queued(1));
});

test("a copy of the head cannot switch the fleet off", needsPostgres, async (t) => {
  const head = await openHead(t, server.uri);
  const [first = ""] = await head.createProfiles(1);
  await head.start([first]);
  await until("the part waits", async () => (await readStatus(head.postgres)).parts.queued === 1);
  const copy = await openHead(t, server.uri, head.dataDir);
  await assert.rejects(copy.runs.leaveFleet({ drain: false }), refused);
});

test("a head takes the place of another whose beat stands still", needsPostgres, async (t) => {
  const { postgres, runs } = await openHead(t, server.uri);
  await runs.close({});
  const first = createHeadship(postgres, "first", 10);
  const second = createHeadship(postgres, "second", 10);
  assert.equal(await first.keep(0), true);
  assert.deepEqual([await second.keep(0), await second.keep(9)], [false, false]);
  await first.keep(9);
  assert.deepEqual(
    [await second.keep(10), await second.keep(19), await second.keep(20)],
    [false, false, false],
  );
  assert.equal(await second.keep(21), true);
  assert.equal(await first.keep(22), false);
  await second.resign("second");
  assert.equal(await first.keep(23), true);
});

test("a session's end is proven to the directory that kept it, and to no copy", () => {
  const dir = mkdtempSync(join(tmpdir(), "troupe-session-"));
  try {
    const original = join(dir, "original");
    const copied = join(dir, "copied");
    mkdirSync(original);
    sessionFileIn(original).keep("s");
    cpSync(original, copied, { recursive: true });
    assert.deepEqual([sessionFileIn(original).earlier(), sessionFileIn(copied).earlier()], ["s", null]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
