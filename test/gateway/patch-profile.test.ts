/** PATCH of a profile: what is given changes, null clears, the rest stays, and a bad field changes nothing. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { ProxyPool } from "../../protocol/proxies.ts";
import type { Profile } from "../../protocol/records.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const patch = (id: string, body: unknown) => app.client.call("PATCH", `/v1/profiles/${id}`, { body });
const record = async (id: string) => (await app.client.get(`/v1/profiles/${id}`)).body as Profile;
const detail = (profileId: string) => app.service.actors.library.profileDetail({ profileId });
const pools = async () => (await app.client.get("/v1/proxy-pools")).body as ProxyPool[];

test("fields that are given change, and the others stay", async () => {
  const [id = "", other = ""] = await createProfiles(app.client, 2);
  const before = await record(id);
  const named = await patch(id.toUpperCase(), { name: "Büro West", folder: "Shops", tags: ["b", "a", "b"] });
  const expected = { ...before, name: "Büro West", slug: "buro-west", folder: "Shops", tags: ["b", "a"] };
  assert.deepEqual([named.status, named.body], [200, expected]);
  assert.equal(named.headers["troupe-pending"], undefined);
  assert.deepEqual((await patch(id, { groups: ["EU"] })).body, { ...expected, groups: ["EU"] });
  assert.deepEqual((await patch(other, { name: "Büro West" })).body, {
    ...(await record(other)),
    slug: "buro-west-2",
  });
  const cleared = await patch(id, { folder: null, tags: null, groups: [] });
  assert.deepEqual(cleared.body, { ...expected, folder: null, tags: [], groups: [] });
  assert.deepEqual((await patch(id, {})).body, cleared.body);
  assert.deepEqual(await record(id), cleared.body);
});

test("time zone and languages are those of the next start; null is the host's", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  await patch(id, { timezone: "europe/berlin", languages: ["de-at", "en", "de-AT"] });
  const { timezone, languages } = await detail(id);
  assert.deepEqual([timezone, languages], ["Europe/Berlin", ["de-AT", "en"]]);
  await patch(id, { timezone: null, languages: null });
  const host = await detail(id);
  assert.deepEqual([host.timezone, host.languages], [Intl.DateTimeFormat().resolvedOptions().timeZone, []]);
});

test("a proxy comes from a line, from a pool's slot, and goes with null", async () => {
  const [id = "", other = ""] = await createProfiles(app.client, 2);
  const line = "us%20er:p%40ss@127.0.0.1:9";
  const { body } = await patch(id, { proxy: `http://${line}` });
  assert.deepEqual((body as Profile).proxy, {
    enabled: true,
    host: "127.0.0.1",
    port: 9,
    proxyType: "http",
    requiresAuth: true,
  });
  const [own] = await pools();
  assert.deepEqual([own?.name, own?.profiles], ["127.0.0.1:9", 1]);
  await patch(other, { proxy: `http://${line}` });
  assert.deepEqual(
    (await pools()).map(({ profiles }) => profiles),
    [2],
    "the same proxy is one pool",
  );
  const lines = ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"];
  const made = await app.client.post("/v1/proxy-pools", { name: "three", lines });
  const { id: pool_id } = (made.body as { pool: ProxyPool }).pool;
  assert.equal(((await patch(id, { proxy: { pool_id, slot: 2 } })).body as Profile).proxy.port, 3);
  assert.equal(((await patch(other, { proxy: { pool_id } })).body as Profile).proxy.port, 1);
  const direct = (await patch(id, { proxy: null })).body as Profile;
  assert.deepEqual([direct.proxy.enabled, direct.proxyPoolId], [false, undefined]);
  assert.deepEqual(await record(id), direct);
});

test("a bad field is named, and nothing has changed", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const before = await record(id);
  const made = await app.client.post("/v1/proxy-pools", { name: "one", lines: ["127.0.0.1:1"] });
  const { id: pool_id } = (made.body as { pool: ProxyPool }).pool;
  for (const [body, status, error] of [
    [{ name: "  " }, 400, /name must have a visible character/],
    [{ name: null }, 400, /name must be a non-empty string of at most 200 characters, got null/],
    [
      { name: "x", timezone: "Berlin" },
      400,
      /timezone must be an IANA name such as Europe\/Berlin, got "Berlin"/,
    ],
    [
      { name: "x", languages: ["de", "no language"] },
      400,
      /languages must hold BCP 47 tags such as de-AT, got "no language"/,
    ],
    [
      { name: "x", proxy: "secret words" },
      400,
      /^invalid request: proxy must name at least one proxy: line 1: it contains white space/,
    ],
    [{ name: "x", proxy: { pool_id, slot: 1 } }, 400, /proxy.slot must be at most 0 in the pool one, got 1/],
    [{ name: "x", proxy: { pool_id: randomUUID() } }, 404, /proxy pool .* does not exist/],
    [{ name: "x", proxy: 7 }, 400, /proxy/],
    [{ status: "running" }, 400, /status/],
  ] as const) {
    const reply = await patch(id, body);
    assert.equal(reply.status, status, JSON.stringify(reply.body));
    assert.match((reply.body as { error: string }).error, error);
  }
  assert.equal((await patch(randomUUID(), {})).status, 404);
  assert.deepEqual(await record(id), before);
  assert.ok((await pools()).every(({ name }) => !name.includes("secret")));
});
