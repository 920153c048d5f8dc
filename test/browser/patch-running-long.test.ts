/** What a running browser cannot take up is named, and comes with its next start. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createProfiles, startTestService } from "../gateway/running.ts";

test("a running profile keeps its time zone and languages until its next start", async () => {
  const app = await startTestService();
  try {
    const [id = ""] = await createProfiles(app.client, 1);
    const seen = async () => {
      const expression = "[Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.languages.join()]";
      const { body } = await app.client.post(`/v1/profiles/${id}/evaluate`, { expression });
      return (body as { result: string[] }).result;
    };
    const launch = () => app.client.post(`/v1/profiles/${id}/launch`, { headless: true });
    await launch();
    const before = await seen();
    const changes = { name: "Now", timezone: "Asia/Tokyo", languages: ["de-AT", "fr"] };
    const { headers, body } = await app.client.call("PATCH", `/v1/profiles/${id}`, { body: changes });
    assert.equal(headers["troupe-pending"], "timezone, languages");
    assert.deepEqual([Object(body).name, Object(body).status], ["Now", "running"]);
    assert.deepEqual(await seen(), before);
    await app.client.post(`/v1/profiles/${id}/stop`);
    await launch();
    const [zone, languages = ""] = await seen();
    assert.equal(zone, "Asia/Tokyo");
    assert.match(languages, /^de-AT,(.*,)?fr/);
  } finally {
    await app.stop();
  }
});
