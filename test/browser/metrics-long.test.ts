/** Health and metrics: what a real launch and real verbs leave in them, in a form that promtool accepts. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { withProgram } from "../actors/proxies/servers.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

const promtoolPath = "/usr/bin/promtool";
let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const metrics = async () => {
  const headers = { authorization: `Bearer ${app.token}` };
  const reply = await fetch(`${app.service.apiUrl}/v1/metrics`, { headers });
  assert.equal(reply.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  return reply.text();
};

/** The sample's value; undefined when it is not there. */
function sample(text: string, name: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

test("launches, verbs, slots and loads are counted", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const path = `/v1/profiles/${id}`;
  assert.equal((await app.client.post(`${path}/launch`, { headless: true })).status, 200);
  assert.equal((await app.client.post(`${path}/evaluate`, { expression: "1" })).status, 200);
  assert.equal((await app.client.post(`${path}/click`, { node_id: 999_999 })).status, 409);
  const text = await metrics();
  const calls = (operation: string, outcome: string) =>
    sample(text, `troupe_call_duration_seconds_count{operation="${operation}",outcome="${outcome}"}`);
  assert.equal(calls("evaluate", "ok"), 1);
  assert.equal(calls("click", "conflict"), 1);
  assert.equal(sample(text, 'troupe_launch_duration_seconds_count{outcome="ok"}'), 1);
  assert.equal(sample(text, 'troupe_slots{state="active"}'), 1);
  assert.ok((sample(text, 'troupe_memory_bytes{part="browsers"}') ?? 0) > 10e6);
  assert.ok((sample(text, 'troupe_processor_seconds{part="browsers"}') ?? 0) > 0);
  assert.equal((await app.client.post(`${path}/stop`)).status, 204);
  assert.equal(sample(await metrics(), 'troupe_slots{state="active"}'), 0);
});

test("health names the versions, the disk and the slots", async () => {
  const { body } = await app.client.get("/v1/health");
  const health = body as {
    ready: boolean;
    versions: { chromium: string };
    slots: { active: number };
    disk: { free_bytes: number };
  };
  assert.equal(health.ready, true);
  assert.match(health.versions.chromium, /^\d+\.\d+/);
  assert.equal(health.slots.active, 0);
  assert.ok(health.disk.free_bytes > 0);
});

withProgram(promtoolPath, test)("promtool finds no fault in the metrics", async () => {
  const check = spawn(promtoolPath, ["check", "metrics"], { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  for (const stream of [check.stdout, check.stderr])
    stream.on("data", (text) => {
      said += text;
    });
  check.stdin.end(await metrics());
  const [code] = await once(check, "close");
  assert.deepEqual([code, said], [0, ""]);
});
