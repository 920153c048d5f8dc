/** Profiles that are trashed during a launch, or named in capitals: afterwards nothing of them runs. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";

let running: TestService;
before(async () => {
  running = await startTestService();
});
after(() => running.stop());

test("a profile that is launched and trashed at the same time does not run, in every order", async (t) => {
  const instance = readInstance(running.dataDir);
  assert.ok(instance);
  const app = connectApp(instance);
  const { pool } = running.service.actors;
  const statusOf = async (id: string) =>
    (await pool.live({})).find(({ profileId }) => profileId === id)?.status;
  const outcomes: string[] = [];
  const moments: Record<string, (id: string) => Promise<unknown>> = {
    "at once": async () => {},
    "after one answer": () => pool.capacity({}),
    "when it starts": (id) =>
      until("the profile is starting", async () => (await statusOf(id)) !== undefined),
    "when it runs": (id) => until("the profile is running", async () => (await statusOf(id)) === "running"),
  };
  for (const [moment, come] of Object.entries(moments)) {
    const [id = ""] = await createProfiles(running.client, 1);
    const launching = running.client.post(`/v1/profiles/${id}/launch`, { headless: true });
    await come(id);
    await app.trashProfiles({ profileIds: [id] });
    const { status, body } = await launching;
    outcomes.push(`${moment}: ${status}`);
    assert.ok([200, 409].includes(status), JSON.stringify(body));
    assert.deepEqual(await pool.live({}), [], moment);
    assert.equal((await running.client.post(`/v1/profiles/${id}/launch`, {})).status, 409);
  }
  t.diagnostic(outcomes.join(", "));
});

test("an id in capitals names the same profile: its cookies can be read, and its browser is closed afterwards", async () => {
  const { pool } = running.service.actors;
  const [id = ""] = await createProfiles(running.client, 1);
  assert.deepEqual((await running.client.get(`/v1/profiles/${id.toUpperCase()}/cookies`)).body, []);
  assert.deepEqual(await pool.live({}), []);
  await running.client.post(`/v1/profiles/${id}/launch`, { headless: true });
  assert.deepEqual((await running.client.get(`/v1/profiles/${id.toUpperCase()}/cookies`)).body, []);
  const live = await pool.live({});
  assert.deepEqual([live.length, live[0]?.status], [1, "running"]);
  await running.client.post(`/v1/profiles/${id}/stop`, {});
});
