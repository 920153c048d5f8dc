/** Rows of datasets in runs: reserved, used, released, and their values for scripts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DatasetRowsReply } from "../../protocol/datasets.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { account, accounts, newDataset, pageOf, startRun } from "./datasets.ts";
import { createProfiles, openLibrary, outcome } from "./library.ts";

describe("a part of a run", () => {
  const posts = [{ name: "title" }, { name: "token", secret: true }];
  const post = (n: number) => ({ title: `Post ${n}`, token: `token ${n}` });

  async function openWithPosts(t: Parameters<typeof openLibrary>[0], rows: number, perRun: number) {
    const opened = await openLibrary(t);
    const profileIds = await createProfiles(opened.library, 2);
    const given = Array.from({ length: rows }, (_, index) => post(index + 1));
    const { dataset } = await newDataset(opened.library, "consume", posts, given, perRun);
    await opened.library.assignDataset({ datasetId: dataset.id, profileIds, force: false });
    return { ...opened, profileIds, datasetId: dataset.id };
  }
  const statesOf = async (library: LibraryApi, datasetId: string) =>
    (await pageOf(library, datasetId)).rows.map((row: DatasetRowsReply["rows"][number]) => row.state);

  test("reserves rows, which become used when it completes and free otherwise", async (t) => {
    const { library, profileIds, datasetId } = await openWithPosts(t, 5, 2);
    const [a = "", b = ""] = profileIds;
    const runId = await startRun(library, profileIds);
    assert.deepEqual((await library.beginRunProfile({ runId, profileId: a })).rows, [post(1), post(2)]);
    assert.deepEqual((await library.beginRunProfile({ runId, profileId: b })).rows, [post(3), post(4)]);
    const { rows } = await pageOf(library, datasetId);
    assert.deepEqual([rows[0]?.state, rows[0]?.profileId, rows[0]?.runId], ["reserved", a, runId]);
    await library.endRunProfile({ runId, profileId: a, outcome: outcome("failed") });
    await library.endRunProfile({ runId, profileId: b, outcome: outcome("completed") });
    await library.endRunProfile({ runId, profileId: a, outcome: outcome("completed") });
    const states = ["available", "available", "used", "used", "available"];
    assert.deepEqual(await statesOf(library, datasetId), states);
    const next = await startRun(library, [a]);
    assert.deepEqual((await library.beginRunProfile({ runId: next, profileId: a })).rows, [post(1), post(2)]);
    assert.equal((await library.resetDataset({ datasetId })).reset, 2);
    assert.deepEqual(await statesOf(library, datasetId), [
      "reserved",
      "reserved",
      "available",
      "available",
      "available",
    ]);
  });

  test("takes fewer rows when fewer are left, and fails with the reason when none is left", async (t) => {
    const { library, profileIds, datasetId } = await openWithPosts(t, 3, 2);
    const [a = "", b = ""] = profileIds;
    const first = await startRun(library, profileIds);
    await library.beginRunProfile({ runId: first, profileId: a });
    assert.deepEqual((await library.beginRunProfile({ runId: first, profileId: b })).rows, [post(3)]);
    await library.endRunProfile({ runId: first, profileId: a, outcome: outcome("completed") });
    const second = await startRun(library, [a]);
    await assert.rejects(library.beginRunProfile({ runId: second, profileId: a }), {
      kind: "conflict",
      message: `content dataset "Test" (${datasetId}) has no available row left: of 3 rows 2 are used and 1 reserved; append rows or reset it`,
    });
  });

  test("of an unapproved script does not receive secret columns", async (t) => {
    const { library, profileIds } = await openWithPosts(t, 1, 1);
    const [a = ""] = profileIds;
    const { dataset } = await newDataset(library, "fixed", accounts, [account(1)]);
    await library.assignDataset({ datasetId: dataset.id, profileIds: [a], force: false });
    const runId = await startRun(library, [a], false);
    const { row, rows } = await library.beginRunProfile({ runId, profileId: a });
    assert.deepEqual([row, rows], [{ email: "user1@example.com" }, [{ title: "Post 1" }]]);
  });

  test("releases its rows when a crash interrupts it, or when its run ends", async (t) => {
    const { library, reopen, profileIds, datasetId } = await openWithPosts(t, 2, 1);
    const [a = "", b = ""] = profileIds;
    const runId = await startRun(library, profileIds);
    await library.beginRunProfile({ runId, profileId: a });
    const again = await reopen();
    await again.resumeRuns({ driven: [] });
    assert.deepEqual(await statesOf(again, datasetId), ["available", "available"]);
    await again.beginRunProfile({ runId, profileId: b });
    await again.endRun({ runId, error: "broke" });
    assert.deepEqual(await statesOf(again, datasetId), ["available", "available"]);
  });
});
