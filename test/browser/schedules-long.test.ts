/** Schedules in the whole service, with real browsers: on time, run now, overlapping, and missed while the service was off. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { systemClock } from "../../actors/kernel/clock.ts";
import { createLibrary } from "../../actors/library/library.ts";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import type { Run } from "../../protocol/records.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";

let dataDir: string;
let app: TestService;
let minted = 0;
const start = async () => {
  minted += 1;
  app = await startTestService({ dataDir, mint: `t${minted}` });
};
let general: { name: string; script_id: string; profile_ids: string[] };
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-schedules-"));
  await start();
  const source = `export default async function run({ page }) {
    await page.goto("data:text/html,<title>scheduled</title>");
    return page.title();
  }`;
  const saved = (await app.client.post("/v1/scripts", { name: "s", source })).body as { scriptId: string };
  const instance = readInstance(dataDir);
  assert.ok(instance);
  await connectApp(instance).approveScript({ scriptId: saved.scriptId });
  general = { name: "Round", script_id: saved.scriptId, profile_ids: await createProfiles(app.client, 1) };
});
after(async () => {
  await app.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function create(timing: object): Promise<Schedule> {
  const reply = await app.client.post("/v1/schedules", { ...general, ...timing });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as Schedule;
}
const runsOf = async ({ id }: Schedule) => (await app.client.get(`/v1/runs?schedule_id=${id}`)).body as Run[];
const read = async ({ id }: Schedule) => {
  const all = (await app.client.get("/v1/schedules")).body as Schedule[];
  return all.find((schedule) => schedule.id === id) ?? assert.fail();
};
const once = (ms: number) => ({ schedule_type: "once", run_at: new Date(Date.now() + ms).toISOString() });

test("a schedule of type once runs at its time, drives the page, and turns itself off", async () => {
  const schedule = await create(once(1_000));
  await until("the run has ended", async () => ((await runsOf(schedule))[0]?.completedAt ?? null) !== null);
  const [run, ...more] = await runsOf(schedule);
  const parts = await app.client.get(`/v1/runs/${run?.id}/profiles`);
  const { profiles } = parts.body as { profiles: { result: unknown }[] };
  assert.equal(profiles[0]?.result, "scheduled", JSON.stringify(profiles));
  assert.deepEqual(
    [run?.status, run?.source, run?.scheduleId, more],
    ["completed", "schedule", schedule.id, []],
  );
  const late = Date.parse(String(run?.startedAt)) - Date.parse(String(schedule.nextRun));
  assert.ok(late >= 0 && late < 5_000, `${late} ms late`);
  const { enabled, nextRun, lastRunId, lastRunStatus } = await read(schedule);
  assert.deepEqual([enabled, nextRun, lastRunId, lastRunStatus], [false, null, run?.id, "completed"]);
});

test("run now returns a run at once, and a skipped one while that is running", async () => {
  const schedule = await create({ schedule_type: "daily", daily_hour: 3, daily_minute: 0, enabled: false });
  const runNow = async () => (await app.client.post(`/v1/schedules/${schedule.id}/run`)).body as Run;
  const first = await runNow();
  const second = await runNow();
  assert.deepEqual([first.status, first.completedAt, second.status], ["running", null, "skipped"]);
  assert.match(String(second.error), new RegExp(`${first.id}, is still going`));
  await until("the run has ended", async () =>
    (await runsOf(schedule)).every(({ completedAt }) => completedAt),
  );
  assert.deepEqual(
    (await runsOf(schedule)).map(({ id }) => id),
    [second.id, first.id],
  );
  const { enabled, nextRun } = await read(schedule);
  assert.deepEqual([enabled, nextRun], [false, null]);
});

test("a time that passed while the service was off becomes a skipped run, and type once is off", async () => {
  const kept = await create({ schedule_type: "interval", interval_minutes: 7 });
  await app.stop();
  const runAt = new Date(Date.now() - 60_000).toISOString();
  const missed = await keepWhileOff(runAt);
  await start();
  await until("the skipped run is recorded", async () => (await runsOf(missed)).length > 0);
  const [run, ...more] = await runsOf(missed);
  assert.deepEqual([run?.status, more], ["skipped", []]);
  assert.equal(run?.error, `it came due at ${runAt}, while the service was off`);
  assert.equal((await read(missed)).enabled, false);
  assert.equal((await read(kept)).nextRun, kept.nextRun);
  assert.deepEqual(await runsOf(kept), []);
});

async function keepWhileOff(runAt: string): Promise<Schedule> {
  const library = await createLibrary({ dataDir, clock: systemClock });
  const { name, script_id: scriptId, profile_ids: profileIds } = general;
  const timing = { type: "once", runAt } as const;
  const schedule = { name, scriptId, profileIds, enabled: true, concurrency: 0, staggerMs: 0, timing };
  const kept = await library.createSchedule({ schedule, nextRun: runAt, timezone: "UTC" });
  await library.close({});
  return kept;
}
