/** The service refuses what the plan excludes, as soon as the plan changes. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Client as McpClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import type { Plan, Run } from "../../protocol/records.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
let application: AppApi;
let full: Plan;
let profiles: string[];
let scriptId: string;

const source = "export default async function run() {}";
const save = (body: object = {}) => app.client.post("/v1/scripts", { name: "s", source, ...body });
before(async () => {
  app = await startTestService();
  const instance = readInstance(app.dataDir);
  assert.ok(instance);
  application = connectApp(instance);
  full = (await application.readSettings({})).plan;
  profiles = await createProfiles(app.client, 2);
  scriptId = ((await save()).body as { scriptId: string }).scriptId;
  await application.approveScript({ scriptId });
});
after(() => app.stop());

const limit = (less: Partial<Plan>) =>
  application.changeSettings({ settings: { plan: { ...full, ...less, name: "small" } } });
beforeEach(() => application.changeSettings({ settings: { plan: full } }));

const batch = (body: object = {}) => ({ script_id: scriptId, profile_ids: profiles, ...body });
const nightly = (body: object = {}) => ({
  ...batch(),
  name: "Nightly",
  schedule_type: "daily",
  daily_hour: 3,
  daily_minute: 0,
  ...body,
});

async function refused(status: number, text: RegExp, path: string, body?: object): Promise<void> {
  const reply = await (body === undefined ? app.client.get(path) : app.client.post(path, body));
  assert.equal(reply.status, status, `${path}: ${JSON.stringify(reply.body)}`);
  assert.match((reply.body as { error: string }).error, text);
}

test("without the API every path, also MCP, answers 403 with an error until the plan has it again", async () => {
  const client = new McpClient({ name: "test", version: "1" });
  const bearer = { requestInit: { headers: { authorization: `Bearer ${app.token}` } } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", app.service.apiUrl ?? ""), bearer));
  await limit({ api: false });
  for (const path of ["/v1/profiles", "/v1/nothing", "/v1/openapi.json"]) {
    await refused(403, /^forbidden: the plan "small" does not include the API/, path);
  }
  assert.equal((await app.client.get("/v1/profiles", { token: "unknown" })).status, 401);
  await assert.rejects(
    client.callTool({ name: "get_capacity", arguments: {} }),
    /403|does not include the API/,
  );
  await application.changeSettings({ settings: { plan: full } });
  assert.equal((await app.client.get("/v1/profiles")).status, 200);
  await client.callTool({ name: "get_capacity", arguments: {} });
  await client.close();
});

test("without Flow, saving, running and scheduling scripts answer 400; existing schedules record a skipped run", async () => {
  const made = await app.client.post("/v1/schedules", nightly({ profile_ids: profiles.slice(0, 1) }));
  const { id } = made.body as Schedule;
  await limit({ flow: false });
  const text = /^invalid request: the plan small does not include scripts \(Flow\)/;
  await refused(400, text, "/v1/scripts", { name: "t", source });
  await refused(400, text, "/v1/scripts/run", { script_id: scriptId, profile_ids: profiles });
  await refused(400, text, "/v1/scripts/batch", batch());
  await refused(400, text, "/v1/schedules", nightly());
  const run = (await app.client.post(`/v1/schedules/${id}/run`)).body as Run;
  assert.equal(run.status, "skipped");
  assert.match(run.error ?? "", /does not include scripts/);
});

test("the profile limit includes existing profiles: above it the call answers 403 and creates none", async () => {
  await limit({ profilesMax: 3 });
  await refused(
    403,
    /^forbidden: the plan small allows 3 profiles: there are 2, and 2 more/,
    "/v1/profiles",
    {
      count: 2,
    },
  );
  assert.equal(((await app.client.get("/v1/profiles")).body as unknown[]).length, 2);
  assert.equal((await app.client.post("/v1/profiles", { count: 1 })).status, 200);
  await refused(403, /there are 3, and 1 more/, "/v1/profiles", { count: 1 });
});

test("the schedule limit answers 403", async () => {
  const have = ((await app.client.get("/v1/schedules")).body as unknown[]).length;
  await limit({ schedulesMax: have + 1 });
  assert.equal((await app.client.post("/v1/schedules", nightly())).status, 200);
  await refused(403, /^forbidden: the plan small allows \d+ schedules/, "/v1/schedules", nightly());
});

test("without parallel runs, several profiles need concurrency 1, else 403", async () => {
  await limit({ parallelRuns: false });
  const text = /^forbidden: the plan small does not allow runs on several profiles at once/;
  await refused(403, text, "/v1/scripts/run", { script_id: scriptId, profile_ids: profiles });
  await refused(403, text, "/v1/scripts/batch", batch());
  await refused(403, text, "/v1/scripts/batch", batch({ concurrency: 2 }));
  await refused(403, text, "/v1/schedules", nightly());
  assert.equal((await app.client.post("/v1/schedules", nightly({ concurrency: 1 }))).status, 200);
  const one = await app.client.post("/v1/scripts/batch", batch({ concurrency: 1 }));
  assert.equal(one.status, 200, JSON.stringify(one.body));
  await app.client.post(`/v1/runs/${(one.body as Run).id}/cancel`);
});

test("the plan's browser limit applies at once to the pool and to a batch's concurrency", async () => {
  const max = async () => ((await app.client.get("/v1/capacity")).body as { max: number }).max;
  const before = await max();
  await limit({ browsersMax: 1 });
  assert.equal(await max(), 1);
  await refused(
    400,
    /concurrency must be an integer from 1 to 1/,
    "/v1/scripts/batch",
    batch({ concurrency: 2 }),
  );
  await application.changeSettings({ settings: { plan: full } });
  assert.equal(await max(), before);
});

test("the application refuses what the plan excludes too", async () => {
  await limit({ parallelRuns: false });
  const asked = {
    scriptId,
    profileIds: profiles,
    variables: {},
    headless: true,
    concurrency: 0,
    staggerMs: 0,
  };
  await assert.rejects(application.startBatch(asked), { kind: "forbidden" });
});
