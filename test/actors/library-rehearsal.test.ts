/** A batch with `dry_run`: what would be refused, by profile, and nothing changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { account, accounts, newDataset, pageOf } from "./datasets.ts";
import { createProfiles, openLibrary, runInput, saveScript } from "./library.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

test("unknown and trashed profiles, and those without a dataset row, are refused by name", async (t) => {
  const { library } = await openLibrary(t);
  const { dataset } = await newDataset(library, "consume", accounts, [1, 2, 3].map(account), 2);
  const datasetId = dataset.id;
  const [plain = "", trashed = "", ...fed] = await createProfiles(library, 5);
  await library.assignDataset({ datasetId, profileIds: fed, force: false });
  await library.trashProfiles({ profileIds: [trashed] });
  const { scriptId } = await saveScript(library);
  await library.approveScript({ scriptId, sha256: null });
  const [first = "", second = "", third = ""] = fed;
  const request = runInput(scriptId, [plain, nobody, first, trashed, second, third, plain], { batch: true });
  const { ready, refused } = await library.rehearseRun(request);
  assert.equal(ready, 3);
  assert.deepEqual(
    refused.map(({ profile_id }) => profile_id),
    [nobody, trashed, third],
  );
  assert.match(refused[0]?.error ?? "", /does not exist/);
  assert.match(refused[2]?.error ?? "", /content dataset "Test" .* has no available row left/);
  assert.deepEqual(await library.listRuns({ scheduleId: null, limit: 10 }), []);
  assert.ok((await pageOf(library, datasetId)).rows.every(({ state }) => state === "available"));
});

test("what no run could start is the same fault as without dry_run", async (t) => {
  const { library } = await openLibrary(t);
  const [id = ""] = await createProfiles(library, 1);
  const { scriptId } = await saveScript(library);
  const rehearsal = (changes: object) => library.rehearseRun(runInput(scriptId, [id], changes));
  await assert.rejects(rehearsal({ batch: true }), /the script is not approved/);
  await assert.rejects(rehearsal({ profileIds: [] }), /at least one profile/);
  await assert.rejects(rehearsal({ scriptId: nobody }), { kind: "not-found" });
  await assert.rejects(rehearsal({ variables: { "1": "x" } }), { kind: "invalid" });
});
