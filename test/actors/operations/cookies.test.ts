/** Cookies of a profile, running or not. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { ManualClock } from "../../../actors/kernel/clock.ts";
import { Fault } from "../../../protocol/faults.ts";
import { until } from "../../gateway/serve.ts";
import { createProfiles } from "../library.ts";
import { openOperations, standInPool } from "./stand-ins.ts";

const profileId = randomUUID();
const cookie = (name: string, expires = -1) => ({
  name,
  value: "1",
  domain: "shop.example",
  path: "/",
  expires,
});

test("a stopped profile is launched without a window, and stopped after the export and after a failure", async (t) => {
  let failing = false;
  const pool = standInPool({
    async readCookies() {
      if (failing) throw new Fault("conflict", "the browser ended");
      return { cookies: [] };
    },
  });
  const { operations } = await openOperations(t, { pool });
  const round = [`launch ${profileId} without a window`, `stop ${profileId}`, `disconnected ${profileId}`];
  assert.deepEqual(await operations.exportCookies({ profileId: profileId.toUpperCase() }), { cookies: [] });
  await until("the port is closed", () => pool.asked.length === 3);
  assert.deepEqual(pool.asked.sort(), round.toSorted());
  failing = true;
  await assert.rejects(operations.exportCookies({ profileId }), {
    kind: "conflict",
    message: "the browser ended",
  });
  await until("the port is closed", () => pool.asked.length === 6);
  assert.deepEqual(pool.asked.sort(), [...round, ...round].sort());
});

test("a running profile keeps running, and its port is closed", async (t) => {
  const { operations, pool } = await openOperations(t);
  pool.running.add(profileId);
  await operations.importCookies({ profileId, cookies: [cookie("a")] });
  await until("the port is closed", () => pool.asked.length > 0);
  assert.deepEqual(pool.asked, [`disconnected ${profileId}`]);
});

test("a profile is not idle while its storage is worked on", async (t) => {
  const clock = new ManualClock();
  const pool = standInPool();
  const touches = async () => {
    const before = pool.touches;
    await clock.advance(60_000);
    return pool.touches - before;
  };
  let meanwhile = 0;
  const tasks = {
    async writeOrigins() {
      meanwhile = await touches();
      return null;
    },
  };
  const { operations, library } = await openOperations(t, { pool, clock, tasks });
  const [id = ""] = await createProfiles(library, 1);
  await operations.writeStorageState({ profileId: id, state: { cookies: [], origins: [] } });
  assert.equal(meanwhile, 120, "twice a second");
  assert.equal(await touches(), 0);
});

test("an import counts what was taken and forgotten, and names what was refused by the place in the file", async (t) => {
  const pool = standInPool({
    writeCookies: async ({ cookies }) => ({
      refused: cookies.flatMap(({ name }, index) => (name === "c" ? [{ index, error: "no" }] : [])),
    }),
  });
  const { operations, library } = await openOperations(t, { pool });
  const cookies = [cookie("a"), 1, cookie("b", 2e9), cookie("c")];
  await library.changeSettings({ settings: { keepSessionCookies: false } });
  const { refused, ...counts } = await operations.importCookies({ profileId, cookies });
  assert.deepEqual(counts, { taken: 2, forgotten: 1 });
  assert.deepEqual(
    refused.map(({ index }) => index),
    [1, 3],
  );
});

test("a file without a readable cookie opens no browser", async (t) => {
  const { operations, pool } = await openOperations(t);
  for (const cookies of [[], [1]])
    await assert.rejects(operations.importCookies({ profileId, cookies }), { kind: "invalid" });
  assert.deepEqual(pool.asked, []);
});
