/** A launch with its first page: open before the reply, or nothing is left running. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createProfiles, startTestService } from "../gateway/running.ts";

test("start_url is open in the first tab, and an address that fails leaves no browser", async () => {
  const app = await startTestService();
  try {
    const [id = ""] = await createProfiles(app.client, 1);
    const launch = (start_url: string) =>
      app.client.post(`/v1/profiles/${id}/launch`, { headless: true, start_url });
    assert.equal((await launch("data:text/html,<title>First</title>")).status, 200);
    const [tab, ...more] = (await app.client.get(`/v1/profiles/${id}/tabs`)).body as { title: string }[];
    assert.deepEqual([tab?.title, more], ["First", []]);
    await app.client.post(`/v1/profiles/${id}/stop`);
    for (const [url, status, error] of [
      ["http://127.0.0.1:1/", 409, /net::ERR_/],
      ["file:///etc/passwd", 400, /url must/],
    ] as const) {
      const refused = await launch(url);
      assert.equal(refused.status, status, JSON.stringify(refused.body));
      assert.match((refused.body as { error: string }).error, error);
    }
    assert.equal(Object((await app.client.get("/v1/capacity")).body).active, 0);
  } finally {
    await app.stop();
  }
});
