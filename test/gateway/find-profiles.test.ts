/** One profile by its id, and the profiles that fit a query, a page at a time. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Profile } from "../../protocol/records.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
let ids: string[];
before(async () => {
  app = await startTestService();
  ids = await createProfiles(app.client, 5);
  const { library } = app.service.actors;
  const [first = "", second = "", third = "", , last = ""] = ids;
  await library.editProfiles({ profileIds: [first, second], folder: "Shops", addTags: ["Warm"] });
  await library.editProfiles({ profileIds: [second, third], addGroups: ["EU"] });
  await library.editProfiles({ profileIds: [third], name: "Büro" });
  await library.trashProfiles({ profileIds: [last] });
});
after(() => app.stop());

async function find(query: string): Promise<string[]> {
  const { status, body } = await app.client.get(`/v1/profiles?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as Profile[]).map(({ id }) => id);
}

test("a profile is read by its id, in any case; one in the trash or unknown is 404", async () => {
  const [first = ""] = ids;
  const list = (await app.client.get("/v1/profiles")).body as Profile[];
  const one = await app.client.get(`/v1/profiles/${first.toUpperCase()}`);
  assert.deepEqual([one.status, one.body], [200, list[0]]);
  for (const id of [ids[4], randomUUID()]) {
    const { status, body } = await app.client.get(`/v1/profiles/${id}`);
    assert.deepEqual([status, body], [404, { error: `not found: profile ${id} does not exist` }]);
  }
});

test("each key of a query selects, and several select what fits all", async () => {
  const [first, second, third, fourth] = ids;
  assert.deepEqual(await find("tag=Warm"), [first, second]);
  assert.deepEqual(await find("tag=warm"), [], "a tag is exact");
  assert.deepEqual(await find("folder=Shops"), [first, second]);
  assert.deepEqual(await find("group=EU"), [second, third]);
  assert.deepEqual(await find("folder=Shops&group=EU"), [second]);
  assert.deepEqual(await find(`search=${encodeURIComponent("BÜRO")}`), [third]);
  assert.deepEqual(await find("search=shop"), [first, second], "the folder has it");
  assert.deepEqual(await find("status=stopped"), [first, second, third, fourth]);
  assert.deepEqual(await find("status=running"), []);
});

test("pages follow the last id of the page before, oldest first, and end with an empty one", async () => {
  const seen: string[] = [];
  for (let page = await find("limit=3"); page.length > 0; page = await find(`limit=3&after=${page.at(-1)}`))
    seen.push(...page);
  assert.deepEqual(seen, ids.slice(0, 4));
  assert.deepEqual(
    await find(`after=${ids[4]}`),
    [],
    "a page goes on behind a profile that went to the trash",
  );
});

test("an unknown after, another limit and an unknown status are 400 with the key", async () => {
  for (const query of [
    `after=${randomUUID()}`,
    "after=x",
    "limit=0",
    "limit=1001",
    "status=asleep",
    "tag=",
  ]) {
    const { status, body } = await app.client.get(`/v1/profiles?${query}`);
    assert.equal(status, 400, query);
    assert.match(JSON.stringify(body), new RegExp(`invalid request: ${query.split("=")[0]} `));
  }
});
