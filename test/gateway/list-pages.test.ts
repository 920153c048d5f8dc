/** The short lists, a page at a time. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

async function made(path: string, body: object, key: string): Promise<string> {
  const reply = await app.client.post(path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return (reply.body as Record<string, string>)[key] ?? "";
}

test("webhooks and checkpoints are listed in pages; without a query as a whole", async () => {
  const [id] = await createProfiles(app.client, 1);
  const lists = [
    { path: "/v1/webhooks", key: "webhook_id", body: { url: "http://127.0.0.1:9/" } },
    { path: `/v1/profiles/${id}/checkpoints`, key: "checkpoint_id", body: { name: "before" } },
  ];
  for (const { path, key, body } of lists) {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(await made(path, body, key));
    const read = async (query: string) => {
      const reply = await app.client.get(`${path}${query}`);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return (reply.body as Record<string, string>[]).map((one) => one[key]);
    };
    const [first = "", second = "", third = ""] = await read("");
    assert.deepEqual([first, second, third].sort(), ids.sort());
    assert.deepEqual(await read("?limit=2"), [first, second]);
    assert.deepEqual(await read(`?limit=2&after=${second.toUpperCase()}`), [third]);
    assert.deepEqual(await read(`?after=${third}`), []);
    for (const query of ["?limit=0", "?limit=1001", `?after=${id}`, "?offset=1"])
      assert.equal((await app.client.get(path + query)).status, 400, query);
  }
});
