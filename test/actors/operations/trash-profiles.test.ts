/** The trash: which browsers are stopped, and when. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { stopTrashed } from "../../../actors/operations/trash-profiles.ts";
import { createProfiles } from "../library.ts";
import { openOperations } from "./stand-ins.ts";

test("the named profiles that run are stopped; waits are cancelled when launches wait", async (t) => {
  const { operations, library, pool } = await openOperations(t);
  const [first = "", second = "", third = ""] = await createProfiles(library, 3);
  for (const id of [first, third]) pool.running.add(id);
  await operations.trashProfiles({ profileIds: [first.toUpperCase()] });
  assert.deepEqual(pool.asked.splice(0), [`stop ${first}`]);
  pool.queued = 1;
  await operations.trashProfiles({ profileIds: [second] });
  assert.deepEqual(pool.asked.splice(0), [`cancel ${second}`]);
  await assert.rejects(operations.trashProfiles({ profileIds: [randomUUID()] }), { kind: "not-found" });
  assert.deepEqual(pool.asked, []);
});

test("profiles that were in the trash before a restart are stopped, others go on", async (t) => {
  const { library, pool } = await openOperations(t);
  const [trashed = "", kept = ""] = await createProfiles(library, 2);
  for (const id of [trashed, kept]) pool.running.add(id);
  await library.trashProfiles({ profileIds: [trashed] });
  await stopTrashed({ library, pool: pool.api });
  assert.deepEqual(pool.asked, [`stop ${trashed}`]);
});
