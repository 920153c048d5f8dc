/** Runs of the library: the input and the results of their parts. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { defaultSettings } from "../../actors/library/settings.ts";
import { approvedRun, createProfiles, openLibrary, outcome, play, runInput, saveScript } from "./library.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

describe("a run", () => {
  test("starts as running, with each profile once and in order", async (t) => {
    const { library, clock } = await openLibrary(t);
    const [a = "", b = ""] = await createProfiles(library, 2);
    const { scriptId } = await saveScript(library);
    const work = await library.createRun(
      runInput(scriptId, [b, a, b.toUpperCase()], {
        headless: true,
        concurrency: 2,
        staggerMs: 5,
        source: "agent",
      }),
    );
    assert.deepEqual(work, {
      run: {
        id: work.run.id,
        status: "running",
        source: "agent",
        scriptId,
        scheduleId: null,
        profileIds: [b, a],
        profilesTotal: 2,
        profilesDone: 0,
        profilesFailed: 0,
        startedAt: new Date(clock.now()).toISOString(),
        completedAt: null,
        error: null,
      },
      kind: "run",
      waiting: [b, a],
      library: "puppeteer",
      headless: true,
      concurrency: 2,
      staggerMs: 5,
      timeoutMs: defaultSettings.runProfileTimeoutMs,
      approved: false,
    });
    assert.deepEqual(await library.readRun({ runId: work.run.id }), work.run);
    await assert.rejects(library.readRun({ runId: nobody }), { kind: "not-found" });
  });

  const ends = [
    { parts: ["completed", "completed"], error: null, status: "completed", done: 2, failed: 0 },
    { parts: ["completed", "failed"], error: null, status: "partial", done: 1, failed: 1 },
    { parts: ["completed", null], error: "the service stopped", status: "partial", done: 1, failed: 0 },
    { parts: ["failed", "failed"], error: null, status: "failed", done: 0, failed: 2 },
    { parts: ["failed", null], error: null, status: "failed", done: 0, failed: 1 },
    { parts: [null, null], error: "the service stopped", status: "failed", done: 0, failed: 0 },
    { parts: [null, null], error: null, status: "skipped", done: 0, failed: 0 },
    {
      parts: ["skipped", "skipped"],
      error: "the script lost its approval",
      status: "skipped",
      done: 0,
      failed: 0,
    },
  ] as const;
  for (const { parts, error, status, done, failed } of ends) {
    const shown = parts.map((part) => part ?? "not started").join(" and ");
    test(`whose parts are ${shown} ends ${status}${error === null ? "" : ` with "${error}"`}`, async (t) => {
      const { library, clock } = await openLibrary(t);
      const { runId, profileIds } = await approvedRun(library, 2);
      await play(library, runId, profileIds, [...parts]);
      await clock.advance(1_000);
      const run = await library.endRun({ runId, error });
      assert.equal(run.status, status);
      assert.equal(run.error, error);
      assert.equal(run.completedAt, new Date(clock.now()).toISOString());
      assert.deepEqual([run.profilesDone, run.profilesFailed], [done, failed]);
      const { profiles } = await library.runProfiles({ runId, offset: 0, limit: 10 });
      assert.deepEqual(
        profiles.map((part) => part.status),
        parts.map((part) => part ?? "skipped"),
      );
      assert.deepEqual(await library.endRun({ runId, error: "again" }), run);
    });
  }

  test("stores each part's results, and counts its end once", async (t) => {
    const { library, dataDir, reopen } = await openLibrary(t);
    const { runId, profileIds } = await approvedRun(library, 2);
    const [profileId = "", other = ""] = profileIds;
    const { scratchDir } = await library.beginRunProfile({ runId, profileId });
    assert.equal(scratchDir, join(dataDir, "runs", runId, profileId));
    writeFileSync(join(scratchDir, "shot.png"), "");
    const made = {
      result: { a: [1] },
      output: [{ b: "2" }],
      log: ["l"],
      files: [join(scratchDir, "shot.png")],
      launchMs: 12.6,
      isolation: "lock" as const,
    };
    await library.endRunProfile({ runId, profileId, outcome: outcome("completed", made) });
    await library.endRunProfile({ runId, profileId, outcome: outcome("failed") });
    await library.beginRunProfile({ runId, profileId: other });
    await library.endRunProfile({ runId, profileId: other, outcome: outcome("failed", { error: "no" }) });
    assert.deepEqual(
      readdirSync(join(dataDir, "runs", runId)),
      [profileId],
      "an empty scratch directory is removed",
    );
    const again = await reopen();
    const { run, profiles } = await again.runProfiles({ runId, offset: 0, limit: 1 });
    assert.deepEqual([run.profilesDone, run.profilesFailed], [1, 1]);
    const [part] = profiles;
    assert.ok(part?.startedAt && part.completedAt);
    const { startedAt: _startedAt, completedAt: _completedAt, ...kept } = part;
    assert.deepEqual(kept, { profileId, status: "completed", error: null, ...made, launchMs: 13 });
    assert.equal((await again.runProfiles({ runId, offset: 1, limit: 5 })).profiles[0]?.error, "no");
    assert.deepEqual((await again.runProfiles({ runId, offset: 2, limit: 5 })).profiles, []);
    const failed = await again.runProfiles({ runId, offset: 0, limit: 5, status: "failed" });
    assert.deepEqual(
      failed.profiles.map(({ error }) => error),
      ["no"],
    );
    const beyond = await again.runProfiles({ runId, offset: 1, limit: 5, status: "failed" });
    assert.deepEqual(beyond.profiles, []);
  });

  test("gives a part the stored variables only when its script is approved; the request's variables override them", async (t) => {
    const { library, dataDir } = await openLibrary(t);
    const [profileId = ""] = await createProfiles(library, 1);
    await library.setVariables({ profileId, variables: { A: "stored a", B: "stored b" } });
    const { scriptId } = await saveScript(library, "source");
    const start = async () => {
      const { run } = await library.createRun(
        runInput(scriptId, [profileId], { variables: { B: "request b secret" } }),
      );
      return library.beginRunProfile({ runId: run.id, profileId });
    };
    const unapproved = await start();
    assert.deepEqual(unapproved.variables, { B: "request b secret" });
    assert.deepEqual(unapproved.script, {
      id: scriptId,
      name: "Script",
      source: "source",
      library: "puppeteer",
      approved: false,
    });
    await library.approveScript({ scriptId, sha256: null });
    const approved = await start();
    assert.deepEqual(approved.variables, { A: "stored a", B: "request b secret" });
    assert.equal(approved.script.approved, true);
    for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith("library"))) {
      assert.ok(!readFileSync(join(dataDir, name)).includes("request b secret"), name);
    }
  });

  test("starts no part after its script was changed, and no part twice", async (t) => {
    const { library } = await openLibrary(t);
    const { runId, scriptId, profileIds } = await approvedRun(library, 2);
    const [first = "", second = ""] = profileIds;
    await library.beginRunProfile({ runId, profileId: first });
    await assert.rejects(library.beginRunProfile({ runId, profileId: first }), {
      kind: "conflict",
      message: /running, not waiting/,
    });
    await assert.rejects(library.beginRunProfile({ runId, profileId: nobody }), { kind: "not-found" });
    await assert.rejects(library.beginRunProfile({ runId: nobody, profileId: first }), { kind: "not-found" });
    await saveScript(library, "changed", scriptId);
    await assert.rejects(library.beginRunProfile({ runId, profileId: second }), {
      kind: "conflict",
      message: /no longer approved/,
    });
  });

  test("whose script is changed finishes started parts, and skips the others with the reason", async (t) => {
    const { library } = await openLibrary(t);
    const { runId, scriptId, profileIds } = await approvedRun(library, 3);
    const [first = "", second = ""] = profileIds;
    const { spec } = await library.runProfileSpec({ runId, profileId: first });
    assert.equal(spec.profileId, first);
    await library.beginRunProfile({ runId, profileId: first });
    await saveScript(library, "changed", scriptId);
    const changed = {
      kind: "conflict",
      message: /was changed after this run started and is no longer approved/,
    };
    await assert.rejects(library.runProfileSpec({ runId, profileId: second }), changed);
    const { run, profiles } = await library.runProfiles({ runId, offset: 0, limit: 3 });
    assert.match(run.error ?? "", changed.message);
    assert.deepEqual(
      profiles.map(({ status, error }) => [status, error]),
      [
        ["running", null],
        ["skipped", run.error],
        ["skipped", run.error],
      ],
    );
    await library.endRunProfile({ runId, profileId: second, outcome: outcome("failed") });
    await library.endRunProfile({ runId, profileId: first, outcome: outcome("completed") });
    const ended = await library.endRun({ runId, error: null });
    assert.deepEqual([ended.status, ended.profilesFailed, ended.error], ["partial", 0, run.error]);
  });

  test("whose script is changed before any part starts is skipped", async (t) => {
    const { library } = await openLibrary(t);
    const { runId, scriptId, profileIds } = await approvedRun(library, 2);
    await saveScript(library, "changed", scriptId);
    for (const profileId of profileIds)
      await assert.rejects(library.runProfileSpec({ runId, profileId }), { kind: "conflict" });
    const ended = await library.endRun({ runId, error: null });
    assert.equal(ended.status, "skipped");
    assert.match(ended.error ?? "", /was changed after this run started/);
  });

  test("that a crash interrupted continues, with its running parts failed", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const { runId, profileIds } = await approvedRun(library, 3);
    const ended = await library.createRun(
      runInput((await saveScript(library)).scriptId, profileIds.slice(0, 1)),
    );
    await library.endRun({ runId: ended.run.id, error: null });
    await library.beginRunProfile({ runId, profileId: profileIds[0] ?? "" });
    const again = await reopen();
    const work = await again.resumeRuns({ driven: [] });
    assert.deepEqual(
      work.map((one) => [one.run.id, one.run.profilesFailed, one.waiting]),
      [[runId, 1, profileIds.slice(1)]],
    );
    const { profiles } = await again.runProfiles({ runId, offset: 0, limit: 1 });
    assert.deepEqual([profiles[0]?.status, profiles[0]?.error], ["failed", "interrupted"]);
  });

  test("is listed newest first, optionally by schedule", async (t) => {
    const { library } = await openLibrary(t);
    const scheduleId = randomUUID();
    const { scriptId, profileIds, runId } = await approvedRun(library, 1, {});
    const scheduled = await library.createRun(
      runInput(scriptId, profileIds, { source: "schedule", scheduleId }),
    );
    const last = await library.createRun(runInput(scriptId, profileIds));
    const ids = async (input: { scheduleId: string | null; limit: number }) =>
      (await library.listRuns(input)).map((run) => run.id);
    assert.deepEqual(await ids({ scheduleId: null, limit: 10 }), [last.run.id, scheduled.run.id, runId]);
    assert.deepEqual(await ids({ scheduleId: null, limit: 1 }), [last.run.id]);
    assert.deepEqual(await ids({ scheduleId: scheduleId.toUpperCase(), limit: 10 }), [scheduled.run.id]);
  });
});

test("housekeeping removes directories of runs that do not exist, and nothing else", async (t) => {
  const { library, dataDir } = await openLibrary(t);
  const { runId, profileIds } = await approvedRun(library, 1);
  await library.beginRunProfile({ runId, profileId: profileIds[0] ?? "" });
  const orphan = join(dataDir, "runs", randomUUID());
  const strange = [join(dataDir, "runs", "notes"), join(dataDir, "profiles", randomUUID())];
  for (const dir of [orphan, ...strange]) mkdirSync(join(dir, "deep"), { recursive: true });
  await library.maintain({});
  assert.ok(!existsSync(orphan));
  for (const dir of [...strange, join(dataDir, "runs", runId)]) assert.ok(existsSync(dir), dir);
});
