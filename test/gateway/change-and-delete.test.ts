/** Scripts, datasets, schedules, pools and settings: changed and deleted, and refused while something uses them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { datasetCsv } from "../../gateway/routes/dataset-csv.ts";
import type { Dataset } from "../../protocol/datasets.ts";
import { Fault } from "../../protocol/faults.ts";
import type { ProxyPool } from "../../protocol/proxies.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
let profileIds: string[];
before(async () => {
  app = await startTestService();
  profileIds = await createProfiles(app.client, 2);
});
after(() => app.stop());

const patch = (path: string, body: unknown) => app.client.call("PATCH", path, { body });
const remove = async (path: string) => {
  const { status, body } = await app.client.call("DELETE", path);
  return status === 204 ? "deleted" : `${status} ${(body as { error: string }).error}`;
};

const source = "export default async function run() {}\n";
async function savedScript(): Promise<string> {
  const { body } = await app.client.post("/v1/scripts", { name: "none", source });
  const { scriptId } = body as { scriptId: string };
  await app.service.actors.library.approveScript({ scriptId, sha256: null });
  return scriptId;
}

test("a schedule is changed field by field, and a new timing computes the next run", async () => {
  const script_id = await savedScript();
  const made = await app.client.post("/v1/schedules", {
    name: "Morning",
    script_id,
    profile_ids: profileIds,
    schedule_type: "daily",
    daily_hour: 8,
    daily_minute: 30,
  });
  const before = made.body as Schedule;
  const path = `/v1/schedules/${before.id}`;
  assert.deepEqual((await patch(path, { name: "Early" })).body, { ...before, name: "Early" });
  const seven = (await patch(path, { daily_hour: 7, concurrency: 1 })).body as Schedule;
  assert.deepEqual([seven.dailyHour, seven.dailyMinute, seven.concurrency], [7, 30, 1]);
  assert.equal(new Date(seven.nextRun ?? "").getHours(), 7);
  const cron = (await patch(path, { schedule_type: "cron", cron_expr: "0 12 * * mon" })).body as Schedule;
  assert.deepEqual([cron.scheduleType, cron.cronExpr, cron.dailyHour], ["cron", "0 12 * * mon", undefined]);
  const off = (await patch(path, { enabled: false, concurrency: null })).body as Schedule;
  assert.deepEqual([off.enabled, off.nextRun, off.concurrency], [false, null, null]);
  assert.equal(((await patch(path, { enabled: true })).body as Schedule).nextRun, cron.nextRun);
  for (const [body, error] of [
    [{ daily_hour: 3 }, /daily_hour must be left out for schedule_type cron/],
    [{ schedule_type: "weekly" }, /weekly_day, daily_hour, daily_minute are required/],
    [{ cron_expr: "61 * * * *" }, /cron_expr must be a crontab expression/],
    [{ concurrency: 0 }, /concurrency/],
    [{ profile_ids: [] }, /profile_ids/],
  ] as const) {
    const refused = await patch(path, body);
    assert.equal(refused.status, 400);
    assert.match((refused.body as { error: string }).error, error);
  }
  assert.deepEqual((await app.client.get("/v1/schedules")).body, [{ ...cron, concurrency: null }]);
  assert.match(await remove(`/v1/scripts/${script_id}`), /^409 .*schedule .* \(Early\) uses script/);
  assert.equal(await remove(path), "deleted");
  assert.match(await remove(path), /^404/);
  assert.equal(await remove(`/v1/scripts/${script_id}`), "deleted");
});

test("changes of one schedule at the same time all hold", async () => {
  const made = await app.client.post("/v1/schedules", {
    name: "Both",
    script_id: await savedScript(),
    profile_ids: profileIds,
    schedule_type: "daily",
    daily_hour: 1,
    daily_minute: 1,
  });
  const path = `/v1/schedules/${(made.body as Schedule).id}`;
  await Promise.all([
    patch(path, { daily_hour: 5 }),
    patch(path, { daily_minute: 55 }),
    patch(path, { name: "All" }),
    app.client.post(`${path}/enabled`, { enabled: false }),
  ]);
  const { body } = await app.client.get("/v1/schedules");
  const now = (body as Schedule[]).find(({ name }) => name === "All");
  assert.deepEqual([now?.dailyHour, now?.dailyMinute, now?.enabled], [5, 55, false]);
});

test("what is not changed in a schedule is not checked again: a profile of it may be in the trash", async () => {
  const [gone = ""] = await createProfiles(app.client, 1);
  const made = await app.client.post("/v1/schedules", {
    name: "Trash",
    script_id: await savedScript(),
    profile_ids: [gone],
    schedule_type: "interval",
    interval_minutes: 60,
  });
  const path = `/v1/schedules/${(made.body as Schedule).id}`;
  await app.client.call("DELETE", `/v1/profiles/${gone}`);
  const slower = await patch(path, { concurrency: 1 });
  assert.deepEqual([slower.status, (slower.body as Schedule).concurrency], [200, 1]);
  assert.equal((await patch(path, { profile_ids: [gone] })).status, 409);
});

test("a time that is outside the four-digit years as UTC is refused by its field", async () => {
  const script_id = await savedScript();
  for (const run_at of ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"]) {
    const fields = { name: "Late", script_id, profile_ids: profileIds, schedule_type: "once", run_at };
    const { status, body } = await app.client.post("/v1/schedules", fields);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match((body as { error: string }).error, /run_at must be in the years 0000 to 9999/);
  }
});

test("a script of the user's own is not deleted over the API", async () => {
  const input = { name: "own", source, description: "", library: "playwright", scriptId: null } as const;
  const { scriptId } = await app.service.actors.library.saveScript({ ...input, origin: "app" });
  assert.match(await remove(`/v1/scripts/${scriptId}`), /^409 .*written in the application/);
});

test("a source is checked and nothing is saved", async () => {
  const scripts = async () => (await app.client.get("/v1/scripts")).body;
  const before = await scripts();
  const good = await app.client.post("/v1/scripts/check", { source });
  assert.deepEqual(good.body, { ok: true, library: "playwright", breaches: [] });
  const bad = (await app.client.post("/v1/scripts/check", { source: "eval('1');\n" })).body;
  const { ok, breaches } = bad as { ok: boolean; breaches: { line: number; rule: string }[] };
  assert.equal(ok, false);
  assert.ok(
    breaches.some(({ line, rule }) => line === 1 && rule !== ""),
    JSON.stringify(breaches),
  );
  assert.deepEqual(await scripts(), before);
});

test("a dataset is exported without secret columns, and deleted when no profile has it", async () => {
  const rows = Array.from({ length: 2_500 }, (_, at) => ({ email: `a"${at}@x.org`, password: `p${at}` }));
  const columns = [{ name: "email" }, { name: "password", secret: true }];
  const made = await app.client.post("/v1/datasets", { name: "Accounts", mode: "fixed", columns, rows });
  const { id } = (made.body as { dataset: Dataset }).dataset;
  const { body } = await app.client.get(`/v1/datasets/${id}/export`);
  const lines = String(body).trim().split("\r\n");
  assert.deepEqual(
    [lines.length, lines[0], lines[1], lines.at(-1)],
    [2_501, "email", '"a""0@x.org"', '"a""2499@x.org"'],
  );
  await app.client.post(`/v1/datasets/${id}/assign`, { profile_ids: profileIds.slice(0, 1) });
  assert.match(
    await remove(`/v1/datasets/${id}`),
    new RegExp(`^409 .*profile ${profileIds[0]} uses dataset`),
  );
  await app.client.post(`/v1/datasets/${id}/unassign`, { profile_ids: profileIds });
  assert.equal(await remove(`/v1/datasets/${id}`), "deleted");
  assert.match(await remove(`/v1/datasets/${id}`), /^404/);
  assert.equal((await app.client.get(`/v1/datasets/${id}/export`)).status, 404);
});

test("the export of a dataset that is deleted before its first row is read is refused, not cut short", async () => {
  const gone = new Fault("not-found", "dataset x does not exist");
  const library = { datasetRows: () => Promise.reject(gone) };
  const columns = [{ name: "a", secret: false }];
  const parts = datasetCsv({ library }, { id: "x", columns });
  await assert.rejects(parts.next(), gone);
});

test("a proxy pool is renamed, and deleted when no profile uses it", async () => {
  const made = await app.client.post("/v1/proxy-pools", { name: "one", lines: ["127.0.0.1:1"] });
  const { pool } = made.body as { pool: ProxyPool };
  const path = `/v1/proxy-pools/${pool.id}`;
  assert.deepEqual((await patch(path, { name: "two" })).body, { ...pool, name: "two" });
  await app.client.post(`${path}/assign`, { profile_ids: profileIds });
  assert.match(await remove(path), /^409 .*2 profiles use the proxy pool two/);
  for (const id of profileIds) await patch(`/v1/profiles/${id}`, { proxy: null });
  assert.equal(await remove(path), "deleted");
});

test("the settings that a program may change, and no others", async () => {
  const before = (await app.client.get("/v1/settings")).body;
  const changed = await patch("/v1/settings", { idleTimeoutSecs: 600, runFilesKeptDays: 0 });
  assert.deepEqual(changed.body, { ...(before as object), idleTimeoutSecs: 600, runFilesKeptDays: 0 });
  for (const body of [{ isolationMin: "lock" }, { apiPort: 1 }, { runProfileTimeoutMs: 1 }, { plan: {} }])
    assert.equal((await patch("/v1/settings", body)).status, 400, JSON.stringify(body));
  assert.deepEqual((await app.client.get("/v1/settings")).body, changed.body);
});
