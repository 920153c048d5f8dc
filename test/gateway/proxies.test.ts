/** Proxy pools over REST, with the test's own proxies and echo service. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { machineZone } from "../../actors/kernel/machine-zone.ts";
import type { ProxyPool, TestProxyPoolReply } from "../../protocol/proxies.ts";
import type { Profile } from "../../protocol/records.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { type EchoService, startEcho } from "../actors/proxies/echo.ts";
import {
  deadUpstream,
  password,
  startNotingHttp,
  startNotingSocks,
  startSilent,
  startStranger,
  type TestProxy,
  user,
} from "../actors/proxies/servers.ts";
import type { Reply } from "./client.ts";
import { createProfiles, filesOf, startTestService, type TestService } from "./running.ts";

let app: TestService;
let paris: EchoService;
let denver: EchoService;
let french: TestProxy;
let american: TestProxy;
let open: TestProxy;
let refused: string;
const echoUrl = "http://echo.invalid/"; // Only the proxies resolve this name.

before(async () => {
  paris = await startEcho({ ip: "203.0.113.1", country: "FR", city: "Paris", timezone: "Europe/Paris" });
  denver = await startEcho({ ip: "203.0.113.2", country: "US", timezone: "America/Denver" });
  french = await startNotingHttp(paris.port);
  american = await startNotingSocks(denver.port);
  open = await startNotingHttp(paris.port, false);
  const { host, port } = await deadUpstream("http");
  refused = `${host}:${port}:${user.replace(" ", "")}:${password}`;
  app = await startTestService();
  await app.service.actors.library.changeSettings({ settings: { echoUrls: [echoUrl] } });
});
after(async () => {
  await app.stop();
  await Promise.all([paris, denver, french, american, open].map((server) => server.close()));
});

const lineOf = ({ upstream: { type, host, port } }: TestProxy) =>
  `${type}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}:${port}`;
const errorOf = (reply: Reply) => (reply.body as { error: string }).error;

async function createPool(lines: string[]): Promise<ProxyPool> {
  const reply = await app.client.post("/v1/proxy-pools", { name: "Pool", lines });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return (reply.body as { pool: ProxyPool }).pool;
}

async function testPool(id: string): Promise<TestProxyPoolReply> {
  const reply = await app.client.post(`/v1/proxy-pools/${id}/test`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as TestProxyPoolReply;
}

async function createBehind(poolId: string, count: number): Promise<CreateProfilesReply> {
  const reply = await app.client.post("/v1/profiles", { count, proxy_pool_id: poolId });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as CreateProfilesReply;
}

describe("creating a pool", () => {
  test("keeps valid lines and reports invalid ones by number", async () => {
    const lines = ["# two", "a.example:1", "a.example:0", "socks5://b.example:2"];
    const reply = await app.client.post("/v1/proxy-pools", { name: "Mixed", lines, type: "residential" });
    const { pool, badLines } = reply.body as { pool: ProxyPool; badLines: object[] };
    assert.deepEqual([pool.kind, pool.type, pool.entries], ["static", "residential", 2]);
    assert.deepEqual(badLines, [{ line: 3, error: "the port must be an integer from 1 to 65535" }]);
    const listed = (await app.client.get("/v1/proxy-pools")).body as ProxyPool[];
    assert.deepEqual(
      listed.find((one) => one.id === pool.id),
      pool,
    );
  });

  test("without a valid line, or with an invalid body, answers 400 and repeats no password", async () => {
    const bad: [object, RegExp][] = [
      [{ lines: [`x:${password}`] }, /^invalid request: lines must name at least one proxy: line 1/],
      [{ lines: [] }, /^invalid request: lines must be an array with at least 1 item/],
      [{ lines: `a.example:1:u:${password}` }, /^invalid request: lines must be an array .* not shown/],
      [{ lines: [{ password }] }, /^invalid request: lines\[0\] must be a string .* not shown/],
      [
        { lines: [`a:1:u:${password}${"x".repeat(2048)}`] },
        /^invalid request: lines\[0\] must be .* not shown/,
      ],
      [{ lines: ["a:1"], type: "ftp" }, /^invalid request: type must be one of http, .*got "ftp"/],
    ];
    for (const [body, why] of bad) {
      const reply = await app.client.post("/v1/proxy-pools", { name: "Bad", ...body });
      assert.equal(reply.status, 400);
      assert.match(errorOf(reply), why);
      assert.ok(!errorOf(reply).includes(password));
    }
    const rawBody = `{"name":"Bad","lines":["a.example:1:u:hunter-two"x]}`;
    const garbled = await app.client.post("/v1/proxy-pools", undefined, { rawBody });
    assert.ok(garbled.status === 400 && !errorOf(garbled).includes("hunter"), errorOf(garbled));
  });
});

describe("testing a pool", () => {
  test("reports for each proxy whether it is alive, and its exit or the failure", async () => {
    const wrong = lineOf(french).replace(encodeURIComponent(password), "wrong");
    const pool = await createPool([lineOf(french), lineOf(american), refused, wrong]);
    const { alive, dead, proxies } = await testPool(pool.id);
    assert.deepEqual([alive, dead], [2, 2]);
    assert.deepEqual(
      proxies.map(({ slot, alive, exit }) => [slot, alive, exit?.ip, exit?.country, exit?.timezone]),
      [
        [0, true, "203.0.113.1", "FR", "Europe/Paris"],
        [1, true, "203.0.113.2", "US", "America/Denver"],
        [2, false, undefined, undefined, undefined],
        [3, false, undefined, undefined, undefined],
      ],
    );
    assert.equal(proxies[0]?.address, `127.0.0.1:${french.upstream.port}`);
    assert.ok(
      proxies[0]?.exit !== null && proxies[0]?.exit !== undefined && proxies[0].exit.latencyMs < 5_000,
    );
    const [refusal, denial] = proxies.slice(2).map(({ error }) => error ?? "");
    assert.ok(refusal !== undefined && refusal !== "" && denial !== undefined && denial !== "");
    assert.notEqual(refusal, denial.replace(String(french.upstream.port), ""));
    const listed = (await app.client.get("/v1/proxy-pools")).body as ProxyPool[];
    const known = listed.find((one) => one.id === pool.id);
    assert.deepEqual([known?.alive, known?.dead, known?.countries], [2, 2, ["FR", "US"]]);
    assert.ok(american.asked.includes("echo.invalid:80"), "the SOCKS proxy was asked by name");
  });

  test("of 60 proxies, a third dead in three ways, reports each one's state", async () => {
    const silent = await startSilent("http");
    const stranger = await startStranger("http");
    const at = ({ upstream }: TestProxy, slot: number) =>
      `127.0.0.1:${upstream.port}:customer-${slot}:secret`;
    const kinds = [() => refused, (slot: number) => at(silent, slot), (slot: number) => at(stranger, slot)];
    const lines = Array.from({ length: 60 }, (_, slot) =>
      slot % 3 === 2 ? (kinds[((slot - 2) / 3) % 3]?.(slot) ?? "") : at(open, slot),
    );
    const pool = await createPool(lines);
    const { alive, dead, proxies } = await testPool(pool.id);
    await Promise.all([silent.close(), stranger.close()]);
    assert.deepEqual([alive, dead], [40, 20]);
    assert.ok(proxies.every((proxy) => proxy.alive === (proxy.slot % 3 !== 2)));
    assert.ok(proxies.every((proxy) => proxy.alive || (proxy.error ?? "") !== ""));
  });

  test("that does not exist answers 404", async () => {
    assert.equal((await app.client.post(`/v1/proxy-pools/${randomUUID()}/test`)).status, 404);
  });
});

describe("creating profiles behind a pool", () => {
  test("measures their proxies first, and gives slots and timezones without a warning", async () => {
    const pool = await createPool([lineOf(french), lineOf(american)]);
    const reply = await createBehind(pool.id, 3);
    assert.deepEqual(
      reply.created.map(({ proxy_slot, timezone }) => [proxy_slot, timezone]),
      [
        [0, "Europe/Paris"],
        [1, "America/Denver"],
        [0, "Europe/Paris"],
      ],
    );
    assert.deepEqual(
      [reply.failed, reply.location_warning, reply.timezone_warning],
      [[], undefined, undefined],
    );
    const id = reply.created[1]?.profile_id;
    const profiles = (await app.client.get("/v1/profiles")).body as Profile[];
    const profile = profiles.find((one) => one.id === id);
    assert.deepEqual([profile?.proxy.proxyType, profile?.proxy.requiresAuth], ["socks5", true]);
    assert.equal(profile?.proxyPoolId, pool.id);
    const proxy = (await app.client.get(`/v1/profiles/${id}/proxy`)).body as {
      slot: number;
      geo: { ip: string };
    };
    assert.deepEqual([proxy.slot, proxy.geo.ip], [1, "203.0.113.2"]);
    assert.equal((await app.client.get(`/v1/profiles/${randomUUID()}/proxy`)).status, 404);
  });

  test("keeps the host's timezone, with a warning that names the proxy, when it cannot be measured", async () => {
    const pool = await createPool([lineOf(french), refused]);
    const { created, location_warning, timezone_warning } = await createBehind(pool.id, 2);
    assert.deepEqual(
      created.map(({ timezone }) => timezone),
      ["Europe/Paris", machineZone()],
    );
    const address = refused.split(":").slice(0, 2).join(":");
    for (const warning of [location_warning ?? "", timezone_warning ?? ""]) {
      assert.ok(warning.includes(`slot 1 (${address})`), warning);
      assert.ok(!warning.includes("slot 0") && !warning.includes(password), warning);
    }
  });

  test("concurrently gives no proxy more than its share", async () => {
    const pool = await createPool(Array.from({ length: 12 }, () => lineOf(french)));
    const replies = await Promise.all([1, 2, 3].map(() => createBehind(pool.id, 4)));
    const slots = replies.flatMap((reply) => reply.created.map(({ proxy_slot }) => proxy_slot ?? -1));
    assert.deepEqual(
      slots.sort((a, b) => a - b),
      Array.from({ length: 12 }, (_, slot) => slot),
    );
    assert.ok(replies.every((reply) => reply.created.every(({ timezone }) => timezone === "Europe/Paris")));
  });

  test("answers 400 for a rotating pool and 404 for one that does not exist", async () => {
    const rotating = await app.service.actors.library.createRotatingPool({
      name: "Rotating",
      type: "http",
      line: `gateway.example:1:user-{session}:${password}`,
    });
    const create = (proxy_pool_id: string) => app.client.post("/v1/profiles", { count: 1, proxy_pool_id });
    const refusal = await create(rotating.id);
    assert.equal(refusal.status, 400);
    assert.match(errorOf(refusal), /^invalid request: proxy_pool_id must name a static pool/);
    assert.equal((await create(randomUUID())).status, 404);
    const profile_ids = await createProfiles(app.client, 1);
    const assigned = await app.client.post(`/v1/proxy-pools/${rotating.id}/assign`, { profile_ids });
    assert.equal(assigned.status, 200);
  });
});

test("assigning a pool returns the slots, and refuses profiles that have a proxy", async () => {
  const pool = await createPool([lineOf(french), lineOf(american)]);
  const [a = "", b = ""] = await createProfiles(app.client, 2);
  const assign = (body: object, id = pool.id) => app.client.post(`/v1/proxy-pools/${id}/assign`, body);
  assert.deepEqual((await assign({ profile_ids: [b] })).body, {
    assigned: [{ profileId: b, poolId: pool.id, slot: 0 }],
  });
  const refusal = await assign({ profile_ids: [a, b] });
  assert.deepEqual([refusal.status, errorOf(refusal).includes(b)], [409, true]);
  const forced = await assign({ profile_ids: [a, b], force: true });
  assert.deepEqual(
    (forced.body as { assigned: { slot: number }[] }).assigned.map(({ slot }) => slot),
    [0, 1],
  );
  assert.equal((await assign({ profile_ids: [randomUUID()] })).status, 409);
  assert.equal((await assign({ profile_ids: [] })).status, 400);
  assert.equal((await assign({ profile_ids: [a] }, randomUUID())).status, 404);
});

test("no reply, file or log line contains a password", async () => {
  const pools = (await app.client.get("/v1/proxy-pools")).body;
  const profiles = (await app.client.get("/v1/profiles")).body as Profile[];
  const proxies = await Promise.all(profiles.map(({ id }) => app.client.get(`/v1/profiles/${id}/proxy`)));
  const shown = JSON.stringify([pools, profiles, proxies.map(({ body }) => body)]) + app.log.join("");
  const forms = [password, encodeURIComponent(password), JSON.stringify(password)];
  for (const form of forms) assert.ok(!shown.includes(form));
  const files = await filesOf(app.dataDir);
  assert.ok(files.length > 0);
  for (const { name, bytes } of files) for (const form of forms) assert.ok(!bytes.includes(form), name);
});
