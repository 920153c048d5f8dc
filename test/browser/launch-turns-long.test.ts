/** A token's thousand waiting launches delay another token's single one by one slot at most. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";

let app: TestService;
let other: string;
before(async () => {
  app = await startTestService({ browsersMax: 1 });
  const instance = readInstance(app.dataDir);
  assert.ok(instance);
  ({ token: other } = await connectApp(instance).mintToken({ name: "other", access: "write" }));
});
after(() => app.stop());

const capacity = async () =>
  (await app.client.get("/v1/capacity")).body as { active: number; queued: number };

/** A launch whose caller can go. */
function launching(id: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asked = request(new URL(`/v1/profiles/${id}/launch`, app.service.apiUrl ?? ""), {
    method: "POST",
    headers,
    agent: false,
  });
  const status = new Promise<number>((resolve) => {
    asked.on("response", (reply) => resolve(reply.resume().statusCode ?? 0));
    asked.on("error", () => resolve(0));
  });
  asked.end(JSON.stringify({ headless: true, wait_ms: 600_000 }));
  return { status, leave: () => asked.destroy() };
}

test("slots go by turns between tokens, and callers that go leave the queue", async () => {
  const ids: string[] = [];
  while (ids.length < 1_002)
    ids.push(...(await createProfiles(app.client, Math.min(50, 1_002 - ids.length))));
  const [first = "", single = "", ...many] = ids;
  assert.equal((await app.client.post(`/v1/profiles/${first}/launch`, { headless: true })).status, 200);
  const launches = many.map((id) => launching(id, app.token));
  await until("a thousand wait", async () => (await capacity()).queued === 1_000);
  const refused = await app.client.post(`/v1/profiles/${single}/launch`, {}, { token: other });
  assert.equal(refused.status, 409);
  assert.match(Object(refused.body).error, /1 of 1 browsers run and 1000 launches wait/);

  const one = launching(single, other);
  await until("one more waits", async () => (await capacity()).queued === 1_001);
  const opened = async () => {
    const listed = (await app.client.get("/v1/profiles?status=running")).body as { id: string }[];
    return listed[0]?.id ?? "";
  };
  let running = first;
  let slots = 0;
  while (running !== single) {
    slots += 1;
    assert.ok(slots <= 2, "another token's launch came first twice");
    const last = running;
    await app.client.post(`/v1/profiles/${last}/stop`);
    await until("the next one runs", async () => ![last, ""].includes(await opened()));
    running = await opened();
  }
  assert.equal(await one.status, 200);
  for (const { leave } of launches) leave();
  await until("nobody waits", async () => (await capacity()).queued === 0);
  await app.client.post(`/v1/profiles/${single}/stop`);
  assert.deepEqual(await capacity(), { active: 0, max: 1, queued: 0, memory_short: false });
});
