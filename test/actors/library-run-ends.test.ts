/** Runs that are cancelled, requested twice, or old. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { limits } from "../../protocol/limits.ts";
import { approvedRun, openLibrary, play, runInput } from "./library.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

describe("a run that is cancelled", () => {
  test("starts no more profiles, records the reason, and ends with the status of its finished parts", async (t) => {
    for (const { ends, status } of [
      { ends: ["completed", null, null], status: "partial" },
      { ends: ["failed", null, null], status: "failed" },
      { ends: [null, null, null], status: "skipped" },
    ] as const) {
      const { library } = await openLibrary(t);
      const { runId, profileIds } = await approvedRun(library, 3);
      await play(library, runId, profileIds, [...ends]);
      const cancelled = await library.cancelRun({ runId: runId.toUpperCase() });
      assert.deepEqual([cancelled.status, cancelled.error], ["running", "the run was cancelled"]);
      await assert.rejects(library.beginRunProfile({ runId, profileId: profileIds[2] ?? "" }), {
        kind: "conflict",
      });
      const run = await library.endRun({ runId, error: null });
      assert.deepEqual([run.status, run.error], [status, "the run was cancelled"]);
      const { profiles } = await library.runProfiles({ runId, offset: 2, limit: 1 });
      assert.deepEqual([profiles[0]?.status, profiles[0]?.error], ["skipped", "the run was cancelled"]);
    }
  });

  test("stays cancelled after a crash, and an ended run keeps its status", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const { runId, profileIds } = await approvedRun(library, 2);
    await library.beginRunProfile({ runId, profileId: profileIds[0] ?? "" });
    await library.cancelRun({ runId });
    const again = await reopen();
    const [work] = await again.resumeRuns({ driven: [] });
    assert.deepEqual(work?.waiting, []);
    const run = await again.endRun({ runId, error: null });
    assert.deepEqual([run.status, run.profilesFailed], ["failed", 1]);
    assert.deepEqual(await again.cancelRun({ runId }), run);
    await assert.rejects(again.cancelRun({ runId: nobody }), { kind: "not-found" });
  });
});

describe("an Idempotency-Key", () => {
  test("starts one run however often it is repeated, and no different one", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const idempotency = { tokenName: "ci", key: "k-1" };
    const { work, scriptId, profileIds } = await approvedRun(library, 2, {
      idempotency,
      variables: { a: "1", b: "2" },
    });
    const again = await reopen();
    const request = runInput(scriptId, profileIds, { idempotency, variables: { b: "2", a: "1" } });
    const replay = await again.createRun(request);
    assert.deepEqual([replay.replayed, replay.run, replay.waiting], [true, work.run, []]);
    for (const changes of [{ headless: true }, { variables: { a: "2", b: "2" } }, { profileIds: [nobody] }])
      await assert.rejects(again.createRun({ ...request, ...changes }), {
        kind: "conflict",
        message: /k-1 has started run .* with another request/,
      });
    const other = await again.createRun({ ...request, idempotency: { tokenName: "cd", key: "k-1" } });
    assert.notEqual(other.run.id, work.run.id);
    assert.equal((await again.listRuns({ scheduleId: null, limit: 100 })).length, 2);
  });
});

test("runs are kept for a month, and the newest for ever; a removed run's files are removed too", async (t) => {
  const { library, clock, dataDir } = await openLibrary(t, { runsKeptMin: 2 });
  const { runId, scriptId, profileIds } = await approvedRun(library, 1, {
    idempotency: { tokenName: "ci", key: "old" },
  });
  mkdirSync(join(dataDir, "runs", runId), { recursive: true });
  await library.endRun({ runId, error: null });
  for (let more = 0; more < 2; more += 1) {
    const { run } = await library.createRun(runInput(scriptId, profileIds));
    await library.endRun({ runId: run.id, error: null });
  }
  await library.maintain({});
  assert.equal((await library.readRun({ runId })).status, "skipped");
  await clock.advance(limits.runsKeptMs + 1);
  await library.maintain({});
  await assert.rejects(library.readRun({ runId }), { kind: "not-found" });
  assert.equal((await library.listRuns({ scheduleId: null, limit: 100 })).length, 2);
  assert.equal(existsSync(join(dataDir, "runs", runId)), false);
});
