/** Runs in the fleet, as the library keeps them: placed parts, their rows, and profiles whose newest files are elsewhere. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newDataset, pageOf } from "../datasets.ts";
import { approvedRun, createProfiles, openLibrary, outcome } from "../library.ts";

const inFleet = { placement: "fleet" } as const;

test("a placed part keeps its rows over a restart, and is neither started nor failed there", async (t) => {
  const { library, reopen } = await openLibrary(t);
  const { runId, profileIds } = await approvedRun(library, 2, inFleet);
  const [profileId = "", other = ""] = profileIds;
  const rows = [{ title: "one" }, { title: "two" }];
  const { dataset } = await newDataset(library, "consume", [{ name: "title" }], rows, 1);
  await library.assignDataset({ datasetId: dataset.id, profileIds, force: false });
  const placed = await library.placeRunProfile({ runId, profileId });
  assert.deepEqual(placed.task.rows, [{ title: "one" }]);
  assert.equal((await library.runProfile({ runId, profileId })).status, "waiting");
  await assert.rejects(library.beginRunProfile({ runId, profileId }), { kind: "conflict" });
  await library.notePlaced({ runId, profileId, begun: true });
  const again = await reopen();
  const [work] = await again.resumeRuns({ driven: [] });
  assert.deepEqual([work?.placed, work?.waiting], [[profileId], [other]]);
  assert.equal((await again.runProfile({ runId, profileId })).status, "running");
  assert.deepEqual((await again.placeRunProfile({ runId, profileId })).task.rows, [{ title: "one" }]);
  await again.endRunProfile({ runId, profileId, outcome: outcome("completed") });
  await again.endRunProfile({ runId, profileId, outcome: outcome("failed") });
  const states = (await pageOf(again, dataset.id)).rows.map(({ state }) => state);
  assert.deepEqual(states, ["used", "available"]);
  await assert.rejects(again.placeRunProfile({ runId, profileId }), { kind: "conflict" });
});

test("cancelling a run leaves its placed parts to the fleet, and its end leaves none", async (t) => {
  const { library } = await openLibrary(t);
  const { runId, profileIds } = await approvedRun(library, 3, inFleet);
  const [first = "", second = "", third = ""] = profileIds;
  await library.placeRunProfile({ runId, profileId: first });
  await library.placeRunProfile({ runId, profileId: second });
  await library.notePlaced({ runId, profileId: second, begun: true });
  await library.cancelRun({ runId });
  const statusOf = async (profileId: string) => (await library.runProfile({ runId, profileId })).status;
  assert.deepEqual(await Promise.all([first, second, third].map(statusOf)), [
    "waiting",
    "running",
    "skipped",
  ]);
  const ended = await library.endRun({ runId, error: null });
  assert.deepEqual(await Promise.all([first, second, third].map(statusOf)), ["skipped", "failed", "skipped"]);
  assert.deepEqual([ended.status, ended.profilesFailed], ["failed", 1]);
});

test("a profile whose files are in the fleet is refused until they are back", async (t) => {
  const { library, dataDir } = await openLibrary(t);
  const [profileId = ""] = await createProfiles(library, 1);
  const files = join(dataDir, "profiles", profileId, "chromium");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "Preferences"), "old");
  const { file } = await library.giveProfile({ profileId });
  assert.ok(existsSync(file));
  const refused = { kind: "conflict", detail: { code: "in-fleet" } };
  await assert.rejects(library.profileSpec({ profileId }), refused);
  await assert.rejects(library.exportProfile({ profileId, cookiesOnly: false }), refused);
  await assert.rejects(library.createCheckpoint({ profileId, name: "c", note: null }), refused);
  writeFileSync(join(files, "Preferences"), "changed");
  await library.receiveProfile({ profileId, file, engine: null });
  assert.equal(readFileSync(join(files, "Preferences"), "utf8"), "old");
  assert.equal((await library.profileSpec({ profileId })).spec.profileId, profileId);
  writeFileSync(file, "damaged");
  await library.giveProfile({ profileId });
  await assert.rejects(library.receiveProfile({ profileId, file, engine: null }), { kind: "invalid" });
  assert.deepEqual(await library.profileInFleet({ profileId }), { inFleet: true });
});
