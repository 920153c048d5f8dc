/** Deleting a profile over the API: to the trash and back, for good, and not while a run uses it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Profile } from "../../protocol/records.ts";
import type { TrashedProfile } from "../../protocol/requests.ts";
import { runInput } from "../actors/library.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const listed = async () => ((await app.client.get("/v1/profiles")).body as Profile[]).map(({ id }) => id);
const trashed = async (query = "") => (await app.client.get(`/v1/trash${query}`)).body as TrashedProfile[];
const remove = (id: string, query = "") => app.client.call("DELETE", `/v1/profiles/${id}${query}`);

test("a deleted profile is in the trash only, and restoring puts it back as it was", async () => {
  const [first = "", second = ""] = await createProfiles(app.client, 2);
  const before = (await app.client.get(`/v1/profiles/${first}`)).body;
  assert.deepEqual((await remove(first)).status, 204);
  assert.deepEqual(await listed(), [second]);
  const [entry, ...more] = await trashed();
  assert.deepEqual([entry?.profile, more], [before, []]);
  assert.ok(Date.parse(entry?.deleted_at ?? "") > 0);
  assert.equal((await remove(first)).status, 404, "it is in the trash already");
  const restored = await app.client.post(`/v1/profiles/${first}/restore`);
  assert.deepEqual([restored.status, restored.body], [200, before]);
  assert.deepEqual(await listed(), [first, second]);
  assert.equal((await app.client.post(`/v1/profiles/${first}/restore`)).status, 404);
  for (const id of [first, second]) await remove(id, "?permanent=true");
});

test("permanent deletes from the list and from the trash, with the profile's directory", async () => {
  const [first = "", second = ""] = await createProfiles(app.client, 2);
  await remove(second);
  for (const id of [first, second]) {
    assert.equal((await remove(id, "?permanent=true")).status, 204);
    assert.equal(existsSync(join(app.dataDir, "profiles", id)), false);
    const again = await remove(id, "?permanent=true");
    assert.deepEqual([again.status, again.body], [404, { error: `not found: profile ${id} does not exist` }]);
  }
  assert.deepEqual([await listed(), await trashed()], [[], []]);
});

test("the trash has pages in order of creation", async () => {
  const ids = await createProfiles(app.client, 3);
  for (const id of [...ids].reverse()) await remove(id);
  const names = (page: TrashedProfile[]) => page.map(({ profile }) => profile.id);
  assert.deepEqual(names(await trashed("?limit=2")), ids.slice(0, 2));
  assert.deepEqual(names(await trashed(`?limit=2&after=${ids[1]}`)), ids.slice(2));
  assert.equal((await app.client.get(`/v1/trash?after=${randomUUID()}`)).status, 400);
  for (const id of ids) await remove(id, "?permanent=true");
});

test("a profile that a run uses is a conflict that names the run, and stays", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const { library } = app.service.actors;
  const source = "export default async function run() {}";
  const { scriptId } = (await app.client.post("/v1/scripts", { name: "idle", source })).body as {
    scriptId: string;
  };
  // Of the library alone, so that no browser starts.
  const run = (await library.createRun(runInput(scriptId, [id]))).run.id;
  for (const query of ["", "?permanent=true"]) {
    const refused = await remove(id, query);
    assert.equal(refused.status, 409);
    assert.match(
      JSON.stringify(refused.body),
      new RegExp(`conflict: run ${run} uses profile ${id}: cancel the run`),
    );
  }
  assert.deepEqual(await listed(), [id]);
  await library.endRun({ runId: run, error: "ended by the test" });
  assert.equal((await remove(id)).status, 204);
});
