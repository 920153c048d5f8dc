/** Schedules in the library: valid ones, and the effect of a due time. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Library } from "../../actors/library/library.ts";
import type { NewSchedule } from "../../protocol/messages/schedules.ts";
import type { Run } from "../../protocol/records.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import { createProfiles, openLibrary, outcome, saveScript } from "./library.ts";

const timezone = "Europe/Berlin";
const at = "2026-01-01T01:00:00.000Z";
const later = "2026-01-01T02:00:00.000Z";

async function prepare(t: TestContext) {
  const test = await openLibrary(t);
  const { scriptId } = await saveScript(test.library);
  await test.library.approveScript({ scriptId, sha256: null });
  return { ...test, scriptId, profileIds: await createProfiles(test.library, 2) };
}

function asked(scriptId: string, profileIds: string[], changes: Partial<NewSchedule> = {}): NewSchedule {
  const timing = { type: "interval", count: 1, unit: "hours" } as const;
  return {
    name: "Hourly",
    scriptId,
    profileIds,
    enabled: true,
    concurrency: 0,
    staggerMs: 0,
    timing,
    ...changes,
  };
}

async function listSchedules(library: Library): Promise<Schedule[]> {
  return JSON.parse(Buffer.from((await library.listSchedules({})).json).toString("utf8"));
}

test("a schedule persists across a restart, with its timing, next run and last run", async (t) => {
  const { library, reopen, scriptId, profileIds } = await prepare(t);
  const schedule = asked(scriptId.toUpperCase(), [...profileIds, String(profileIds[0]).toUpperCase()]);
  const { id } = await library.createSchedule({ schedule, nextRun: at, timezone });
  const fired = await library.fireSchedule({ scheduleId: id, due: { at, nextRun: later, missed: false } });
  const [kept, ...more] = await listSchedules(await reopen());
  assert.deepEqual(more, []);
  assert.deepEqual(kept, {
    id,
    name: "Hourly",
    scheduleType: "interval",
    scriptId,
    profileIds,
    enabled: true,
    concurrency: null,
    staggerMs: 0,
    intervalMinutes: 1,
    intervalUnit: "hours",
    timezone,
    nextRun: later,
    lastRunId: fired?.run.id,
    lastRunStatus: "running",
    lastRunAt: fired?.run.startedAt,
    createdAt: kept?.createdAt,
  });
});

test("an invalid schedule is refused with a specific fault, and nothing is stored", async (t) => {
  const { library, scriptId, profileIds } = await prepare(t);
  const { scriptId: unapproved } = await saveScript(library, "export default () => 1");
  const { plan } = await library.readSettings({});
  const refused = async (
    schedule: NewSchedule,
    kind: string,
    message: RegExp,
    change: Partial<typeof plan> = {},
  ) => {
    await library.changeSettings({ settings: { plan: { ...plan, ...change } } });
    await assert.rejects(library.createSchedule({ schedule, nextRun: at, timezone }), { kind, message });
  };
  await refused(asked(randomUUID(), profileIds), "not-found", /script .* does not exist/);
  await refused(asked(unapproved, profileIds), "invalid", /script_id must name an approved script/);
  await refused(asked(scriptId, [randomUUID()]), "conflict", /profile .* does not exist/);
  await refused(asked(scriptId, profileIds), "invalid", /Flow/, { flow: false });
  await refused(asked(scriptId, profileIds), "forbidden", /several profiles at once/, {
    parallelRuns: false,
  });
  await refused(asked(scriptId, profileIds), "forbidden", /allows 0 schedules/, { schedulesMax: 0 });
  assert.deepEqual(await listSchedules(library), []);
  await library.changeSettings({ settings: { plan: { ...plan, parallelRuns: false } } });
  const single = asked(scriptId, profileIds, { concurrency: 1 });
  assert.equal((await library.createSchedule({ schedule: single, nextRun: null, timezone })).enabled, false);
});

test("a due time creates one run, however often it fires", async (t) => {
  const { library, scriptId, profileIds } = await prepare(t);
  const { id: scheduleId } = await library.createSchedule({
    schedule: asked(scriptId, profileIds),
    nextRun: at,
    timezone,
  });
  const due = { at, nextRun: later, missed: false };
  const fired = await Promise.all([1, 2, 3].map(() => library.fireSchedule({ scheduleId, due })));
  const runs = await library.listRuns({ scheduleId, limit: 10 });
  assert.equal(runs.length, 1);
  assert.deepEqual(
    fired.map((one) => one?.run.id),
    [runs[0]?.id, undefined, undefined],
  );
  const { source, status, profilesTotal } = runs[0] ?? assert.fail();
  assert.deepEqual([source, status, profilesTotal], ["schedule", "running", 2]);
  assert.deepEqual(fired[0]?.work?.waiting, profileIds);
});

test("a due time that fires slightly early is awaited", async (t) => {
  const { library, clock, scriptId, profileIds } = await prepare(t);
  const soon = new Date(clock.now() + 80).toISOString();
  const schedule = asked(scriptId, profileIds);
  const { id } = await library.createSchedule({ schedule, nextRun: soon, timezone });
  const due = { at: soon, nextRun: later, missed: false };
  let run: Run | undefined;
  const firing = library.fireSchedule({ scheduleId: id, due }).then((fired) => {
    run = fired?.run;
  });
  await clock.advance(79);
  assert.equal((await listSchedules(library))[0]?.lastRunId, null);
  await clock.advance(1);
  await firing;
  assert.equal(run?.startedAt, soon);
});

test("while the previous run is running, a due time and a requested run are skipped", async (t) => {
  const { library, scriptId, profileIds } = await prepare(t);
  const { id: scheduleId } = await library.createSchedule({
    schedule: asked(scriptId, profileIds),
    nextRun: at,
    timezone,
  });
  const first = await library.fireSchedule({ scheduleId, due: null });
  assert.equal(
    (await library.readSchedule({ scheduleId })).schedule.nextRun,
    at,
    "a run on request does not change the next run",
  );
  const due = { at, nextRun: later, missed: false };
  for (const skipped of [
    await library.fireSchedule({ scheduleId, due }),
    await library.fireSchedule({ scheduleId, due: null }),
  ]) {
    assert.equal(skipped?.work, null);
    assert.equal(skipped?.run.status, "skipped");
    assert.match(String(skipped?.run.error), /is still going/);
    assert.equal(skipped?.run.completedAt, skipped?.run.startedAt);
    const { profiles } = await library.runProfiles({ runId: String(skipped?.run.id), offset: 1, limit: 10 });
    assert.deepEqual(
      profiles.map((part) => [part.profileId, part.status]),
      [[profileIds[1], "skipped"]],
    );
  }
  const runId = String(first?.run.id);
  for (const profileId of profileIds) {
    await library.beginRunProfile({ runId, profileId });
    await library.endRunProfile({ runId, profileId, outcome: outcome("completed") });
  }
  await library.endRun({ runId, error: null });
  const next = await library.fireSchedule({ scheduleId, due: { ...due, at: later } });
  assert.equal(next?.run.status, "running");
});

test("a script without approval and a refusing plan give skipped runs", async (t) => {
  const { library, scriptId, profileIds } = await prepare(t);
  const { id: scheduleId } = await library.createSchedule({
    schedule: asked(scriptId, profileIds),
    nextRun: at,
    timezone,
  });
  const { plan } = await library.readSettings({});
  await library.changeSettings({ settings: { plan: { ...plan, parallelRuns: false } } });
  const byPlan = await library.fireSchedule({ scheduleId, due: null });
  await library.changeSettings({ settings: { plan } });
  await saveScript(library, "export default () => 2", scriptId);
  const byApproval = await library.fireSchedule({ scheduleId, due: { at, nextRun: later, missed: false } });
  assert.deepEqual([byPlan?.run.status, byApproval?.run.status], ["skipped", "skipped"]);
  assert.match(String(byPlan?.run.error), /does not allow runs on several profiles/);
  assert.match(String(byApproval?.run.error), /not approved/);
  const { schedule } = await library.readSchedule({ scheduleId });
  assert.deepEqual([schedule.nextRun, schedule.lastRunId], [later, byApproval?.run.id]);
});

test("type once turns itself off after its run, also after a missed one", async (t) => {
  const { library, scriptId, profileIds } = await prepare(t);
  const timing = { type: "once", runAt: at } as const;
  const schedule = asked(scriptId, profileIds, { timing });
  for (const missed of [false, true]) {
    const { id: scheduleId } = await library.createSchedule({ schedule, nextRun: at, timezone });
    const fired = await library.fireSchedule({ scheduleId, due: { at, nextRun: null, missed } });
    assert.equal(fired?.run.status, missed ? "skipped" : "running");
    const { schedule: kept } = await library.readSchedule({ scheduleId });
    assert.deepEqual([kept.enabled, kept.nextRun, kept.runAt], [false, null, at]);
    assert.equal(await library.fireSchedule({ scheduleId, due: { at, nextRun: null, missed } }), null);
  }
});

test("a schedule that is off is not upcoming and does not fire; a deleted one's runs remain", async (t) => {
  const { library, scriptId, profileIds } = await prepare(t);
  const ids: string[] = [];
  for (const nextRun of [later, at]) {
    ids.push((await library.createSchedule({ schedule: asked(scriptId, profileIds), nextRun, timezone })).id);
  }
  const [first = "", second = ""] = ids;
  const upcoming = async () =>
    (await library.upcomingSchedules({ limit: 10 })).map(({ scheduleId }) => scheduleId);
  assert.deepEqual(await upcoming(), [second, first]);
  await library.changeSchedule({ scheduleId: second, changes: {}, nextRun: null, timezone });
  assert.deepEqual(await upcoming(), [first]);
  assert.equal(
    await library.fireSchedule({ scheduleId: second, due: { at, nextRun: later, missed: false } }),
    null,
  );
  await library.fireSchedule({ scheduleId: second, due: null });
  await library.deleteSchedule({ scheduleId: second });
  await assert.rejects(library.readSchedule({ scheduleId: second }), { kind: "not-found" });
  await assert.rejects(library.fireSchedule({ scheduleId: second, due: null }), { kind: "not-found" });
  assert.equal((await library.listRuns({ scheduleId: second, limit: 10 })).length, 1);
});
