/** Schedules over real HTTP: types, refusals, turning on and off, limits of the plan. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import { routes } from "../../gateway/routes/all.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
let application: AppApi;
let general: { name: string; script_id: string; profile_ids: string[] };
let unapproved: string;

async function saveScript(): Promise<string> {
  const reply = await app.client.post("/v1/scripts", {
    name: "s",
    source: "export default async function run() {}",
  });
  return (reply.body as { scriptId: string }).scriptId;
}
before(async () => {
  app = await startTestService({ expensiveCallsMax: 30 });
  const instance = readInstance(app.dataDir);
  assert.ok(instance);
  application = connectApp(instance);
  const scriptId = await saveScript();
  unapproved = await saveScript();
  await application.approveScript({ scriptId });
  general = { name: "Round", script_id: scriptId, profile_ids: await createProfiles(app.client, 2) };
});
after(() => app.stop());

const post = (body: object) => app.client.post("/v1/schedules", body);
const errorOf = ({ body }: { body: unknown }) => (body as { error: string }).error;
async function created(timing: object): Promise<Schedule> {
  const reply = await post({ ...general, ...timing });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as Schedule;
}
const daily = { schedule_type: "daily", daily_hour: 8, daily_minute: 30 };

test("the OpenAPI document's examples are valid schedules, which are created and listed", async () => {
  const { bodyExamples = {} } = routes.find(({ id }) => id === "createSchedule") ?? assert.fail();
  const ids: string[] = [];
  for (const { value } of Object.values(bodyExamples)) {
    const { script_id, profile_ids } = general;
    const schedule = await created({ ...value, script_id, profile_ids, concurrency: 1 });
    ids.push(schedule.id);
    assert.equal(schedule.enabled, schedule.nextRun !== null);
    if (schedule.nextRun !== null) assert.ok(Date.parse(schedule.nextRun) > Date.now());
  }
  const listed = (await app.client.get("/v1/schedules")).body as Schedule[];
  assert.deepEqual(
    listed.map(({ id }) => id),
    ids,
  );
  assert.deepEqual(
    listed.map(({ scheduleType }) => scheduleType),
    ["once", "interval", "daily", "weekly", "cron"],
  );
  assert.deepEqual(listed[0]?.runAt, "2029-12-31T23:00:00.000Z");
  assert.deepEqual([listed[1]?.intervalMinutes, listed[1]?.intervalUnit], [6, "hours"]);
  assert.deepEqual([listed[3]?.weeklyDay, listed[3]?.dailyHour, listed[3]?.dailyMinute], [1, 9, 0]);
});

test("the next run of a daily schedule is at its time in the machine's timezone", async () => {
  const { nextRun, timezone } = await created(daily);
  assert.equal(timezone, Intl.DateTimeFormat().resolvedOptions().timeZone);
  const at = new Date(String(nextRun));
  assert.deepEqual([at.getHours(), at.getMinutes(), at.getSeconds()], [8, 30, 0]);
});

test("a field that is missing, of the wrong type or out of range answers 400 and is named", async () => {
  const refused: [object, RegExp][] = [
    [{ schedule_type: "once" }, /run_at is required for schedule_type once/],
    [{ schedule_type: "interval" }, /interval_minutes is required/],
    [{ schedule_type: "daily", daily_hour: 1 }, /daily_minute is required/],
    [{ schedule_type: "weekly", daily_minute: 1 }, /weekly_day, daily_hour are required/],
    [{ schedule_type: "cron" }, /cron_expr is required/],
    [{ schedule_type: "hourly" }, /schedule_type must be one of once, interval, daily, weekly, cron/],
    [
      { ...daily, cron_expr: "* * * * *", weekly_day: 1 },
      /weekly_day, cron_expr must be left out for schedule_type daily/,
    ],
    [{ schedule_type: "cron", cron_expr: "@daily", interval_unit: "days" }, /interval_unit must be left out/],
    [
      { schedule_type: "once", run_at: "2040-01-01T00:00:00Z", interval_minutes: 5 },
      /interval_minutes must be left out/,
    ],
    [{ ...daily, daily_hour: 24 }, /daily_hour must be an integer from 0 to 23, got 24/],
    [{ ...daily, daily_minute: 1.5 }, /daily_minute must be an integer from 0 to 59, got 1.5/],
    [
      { ...daily, schedule_type: "weekly", weekly_day: 7 },
      /weekly_day must be an integer from 0 to 6, got 7/,
    ],
    [{ schedule_type: "interval", interval_minutes: 0 }, /interval_minutes must be an integer from 1/],
    [
      { schedule_type: "interval", interval_minutes: 1, interval_unit: "weeks" },
      /interval_unit must be one of/,
    ],
    [{ schedule_type: "once", run_at: "tomorrow" }, /run_at must be an RFC 3339/],
    [{ schedule_type: "once", run_at: "2040-01-01T00:00:00" }, /run_at must be an RFC 3339/],
    [{ schedule_type: "once", run_at: "2041-02-29T00:00:00Z" }, /run_at must be an RFC 3339/],
    [{ schedule_type: "once", run_at: "2020-01-01T00:00:00Z" }, /run_at must be in the future, got 2020/],
    [
      { schedule_type: "cron", cron_expr: "61 * * * *" },
      /cron_expr must be a crontab expression .*"61 \* \* \* \*": its minute is "61"/,
    ],
    [{ schedule_type: "cron", cron_expr: "0 0 30 2 *" }, /cron_expr .* no day matches it/],
    [{ ...daily, name: "" }, /name must be a non-empty string/],
    [{ ...daily, profile_ids: [] }, /profile_ids must be an array with at least 1 item/],
    [
      { ...daily, concurrency: 100_000 },
      /concurrency must be an integer from 1 to \d+, the browser pool's max/,
    ],
    [{ ...daily, stagger_ms: 600_001 }, /stagger_ms must be an integer/],
    [{ ...daily, script_id: unapproved }, /script_id must name an approved script/],
  ];
  for (const [change, message] of refused) {
    const reply = await post({ ...general, ...change });
    assert.equal(reply.status, 400, JSON.stringify(change));
    assert.match(errorOf(reply), new RegExp(`^invalid request: .*${message.source}`), JSON.stringify(change));
  }
  assert.equal((await post({ ...general, ...daily, script_id: randomUUID() })).status, 404);
  assert.equal((await post({ ...general, ...daily, profile_ids: [randomUUID()] })).status, 409);
});

test("turning off removes the next run; turning on computes a new one, an interval from now", async () => {
  const { id, nextRun } = await created({ schedule_type: "interval", interval_minutes: 90 });
  const turn = async (enabled: boolean) =>
    (await app.client.post(`/v1/schedules/${id}/enabled`, { enabled })).body as Schedule;
  const off = await turn(false);
  assert.deepEqual([off.enabled, off.nextRun], [false, null]);
  const before = Date.now();
  const on = await turn(true);
  assert.ok(Date.parse(String(on.nextRun)) >= before + 90 * 60_000);
  assert.ok(Date.parse(String(on.nextRun)) > Date.parse(String(nextRun)));
  assert.equal(
    (await app.client.post(`/v1/schedules/${randomUUID()}/enabled`, { enabled: true })).status,
    404,
  );
});

test("a schedule of type once whose time has passed cannot be turned on again", async () => {
  const runAt = new Date(Date.now() + 300).toISOString();
  const { id } = await created({ schedule_type: "once", run_at: runAt, enabled: false });
  while (Date.now() <= Date.parse(runAt)) await new Promise((resolve) => setImmediate(resolve));
  const reply = await app.client.post(`/v1/schedules/${id}/enabled`, { enabled: true });
  assert.equal(reply.status, 409);
  assert.match(errorOf(reply), /which has passed; create a new schedule instead/);
});

test("running an unknown schedule answers 404 and counts as an expensive call", async () => {
  const reply = await app.client.post(`/v1/schedules/${randomUUID()}/run`);
  assert.equal(reply.status, 404);
  assert.equal(reply.headers["ratelimit-limit"], "30");
});

test("the plan's limits answer 403, a plan without Flow 400", async () => {
  const { plan } = await application.readSettings({});
  const under = async (change: Partial<typeof plan>) => {
    await application.changeSettings({ settings: { plan: { ...plan, ...change } } });
    const reply = await post({ ...general, ...daily });
    await application.changeSettings({ settings: { plan } });
    return [reply.status, errorOf(reply)];
  };
  const { length } = (await app.client.get("/v1/schedules")).body as Schedule[];
  assert.match(String(await under({ schedulesMax: length })), /^403,.* allows \d+ schedules/);
  assert.match(String(await under({ parallelRuns: false })), /^403,.*several profiles at once/);
  assert.match(String(await under({ flow: false })), /^400,.*Flow/);
});
