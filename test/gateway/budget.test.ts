/** The budget of expensive calls, over real HTTP. */
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
  const { status, body } = await app.client.get("/v1/capacity");
  // Exactly the fields of the contract: a service without a fleet has no more.
  assert.deepEqual(
    [status, Object.keys(Object(body)).toSorted()],
    [200, ["active", "max", "memory_short", "queued"]],
  );
});

test("each token has its own budget", async () => {
  const { token } = await application.mintToken({ name: "other", access: "write" });
  assert.equal((await app.client.post("/v1/profiles", { count: 1 }, { token })).status, 200);
});

test("a revoked token is refused at once", async () => {
  const { token } = await application.mintToken({ name: "short", access: "read" });
  assert.equal((await app.client.get("/v1/capacity", { token })).status, 200);
  await application.revokeToken({ name: "short" });
  assert.equal((await app.client.get("/v1/capacity", { token })).status, 401);
});
