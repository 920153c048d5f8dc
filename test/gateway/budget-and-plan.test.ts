/** The budget of expensive calls and the plan, over real HTTP. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import { startTestService, type TestService } from "./running.ts";

let app: TestService;
let application: AppApi;
before(async () => {
  app = await startTestService({ expensiveCallsMax: 30 });
  const instance = readInstance(app.dataDir);
  assert.ok(instance);
  application = connectApp(instance);
});
after(() => app.stop());

test("the 31st expensive call in a minute answers 429 with Retry-After; cheap and malformed calls do not count", async () => {
  for (let call = 1; call <= 30; call += 1) {
    const reply = await app.client.post(`/v1/profiles/${randomUUID()}/launch`);
    assert.equal(reply.status, 409, `call ${call}`);
    assert.equal(reply.headers["ratelimit-limit"], "30");
    assert.equal(reply.headers["ratelimit-remaining"], String(30 - call));
    await app.client.post(`/v1/profiles/${randomUUID()}/stop`);
    assert.equal((await app.client.post("/v1/profiles", { count: 0 })).status, 400);
  }
  const reply = await app.client.post("/v1/profiles", { count: 1 });
  assert.equal(reply.status, 429);
  assert.match((reply.body as { error: string }).error, /^rate limited: more than 30 expensive calls/);
  const retryAfter = Number(reply.headers["retry-after"]);
  assert.ok(retryAfter >= 1 && retryAfter <= 60, String(retryAfter));
  assert.equal((await app.client.get("/v1/capacity")).status, 200);
});

test("another token has a budget of its own", async () => {
  const { token } = await application.mintToken({ name: "other", access: "write" });
  assert.equal((await app.client.post("/v1/profiles", { count: 1 }, { token })).status, 200);
});

test("a revoked token is a stranger at once", async () => {
  const { token } = await application.mintToken({ name: "short", access: "read" });
  assert.equal((await app.client.get("/v1/capacity", { token })).status, 200);
  await application.revokeToken({ name: "short" });
  assert.equal((await app.client.get("/v1/capacity", { token })).status, 401);
});

test("a plan without the API answers 403 with an error, also for paths that are not there", async () => {
  const { plan } = await application.readSettings({});
  await application.changeSettings({ settings: { plan: { ...plan, api: false } } });
  for (const path of ["/v1/profiles", "/v1/nothing"]) {
    const reply = await app.client.get(path);
    assert.equal(reply.status, 403);
    assert.match((reply.body as { error: string }).error, /does not include the API/);
  }
  await application.changeSettings({ settings: { plan } });
  assert.equal((await app.client.get("/v1/profiles")).status, 200);
});

test("a plan without the Flow feature answers 400 to saving a script", async () => {
  const { plan } = await application.readSettings({});
  await application.changeSettings({ settings: { plan: { ...plan, flow: false } } });
  const source = "export default async function run() {}";
  const reply = await app.client.post("/v1/scripts", { name: "s", source });
  assert.equal(reply.status, 400);
  assert.match((reply.body as { error: string }).error, /Flow/);
  await application.changeSettings({ settings: { plan } });
});

test("a plan's profile limit answers 403", async () => {
  const { token } = await application.mintToken({ name: "third", access: "write" });
  const { plan } = await application.readSettings({});
  await application.changeSettings({ settings: { plan: { ...plan, profilesMax: 2 } } });
  const reply = await app.client.post("/v1/profiles", { count: 5 }, { token });
  assert.equal(reply.status, 403);
  await application.changeSettings({ settings: { plan } });
});
