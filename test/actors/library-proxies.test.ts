/** Proxy pools in the library: assignment of proxies, and encryption of passwords. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createProfiles, listProfiles, openLibrary } from "./library.ts";
import { createPool, dead, exitIn, nobody, password, slotsOf } from "./proxy-pools.ts";

describe("proxy pools", () => {
  test("are created from the valid lines, listed with their findings, and persist", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const { pool, badLines } = await library.createProxyPool({
      name: "Mixed",
      type: "residential",
      lines: ["a.example:1", "nonsense", "socks5://b.example:2"],
    });
    assert.deepEqual(
      badLines.map(({ line }) => line),
      [2],
    );
    const { id, createdAt, ...rest } = pool;
    const counts = { entries: 2, alive: 0, dead: 0, profiles: 0, countries: [] };
    assert.deepEqual(rest, { name: "Mixed", kind: "static", type: "residential", ...counts });
    assert.ok(createdAt);
    const measured = [
      { slot: 0, measurement: exitIn("DE", "Europe/Berlin") },
      { slot: 1, measurement: dead },
    ];
    await library.proxiesTested({ poolId: id.toUpperCase(), measured });
    const known = { ...pool, alive: 1, dead: 1, countries: ["DE"] };
    assert.deepEqual(await (await reopen()).listProxyPools({}), [known]);
  });

  test("without a valid line are refused, with the first invalid ones", async (t) => {
    const { library } = await openLibrary(t);
    const create = (given: string[]) => library.createProxyPool({ name: "P", type: "http", lines: given });
    await assert.rejects(create(["x:0", `u:${password}`]), (error: Error) => {
      assert.match(
        error.message,
        /^lines must name at least one proxy: line 1: the port .*; line 2: expected/,
      );
      assert.ok(!error.message.includes(password));
      return true;
    });
    await assert.rejects(create(["# nothing"]), {
      kind: "invalid",
      message: /comments and blank lines only/,
    });
    assert.deepEqual(await library.listProxyPools({}), []);
  });

  test("list their proxies without secrets, and can be deleted when no profile uses them", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const lines = [`a.example:1:u:${password}`, "socks5://b.example:2"];
    const { pool } = await library.createProxyPool({ name: "Two", type: "http", lines });
    const poolId = pool.id;
    const profileIds = await createProfiles(library, 1);
    await library.assignProxyPool({ poolId, profileIds, force: false });
    const exit = exitIn("DE", "Europe/Berlin");
    await library.proxiesTested({ poolId, measured: [{ slot: 1, measurement: exit }] });
    await library.proxiesTested({ poolId, measured: [{ slot: 1, measurement: dead }] });
    assert.deepEqual(await library.listProxies({ poolId: poolId.toUpperCase() }), [
      {
        ...{ slot: 0, address: "a.example:1", type: "http", requiresAuth: true },
        ...{ profiles: 1, exit: null, error: null },
      },
      {
        ...{ slot: 1, address: "b.example:2", type: "socks5", requiresAuth: false },
        ...{ profiles: 0, exit: exit.exit, error: dead.error },
      },
    ]);
    await assert.rejects(library.deleteProxyPool({ poolId }), {
      kind: "conflict",
      message: /^1 profile uses the proxy pool Two/,
    });
    const other = await createPool(library, 1);
    await library.assignProxyPool({ poolId: other, profileIds, force: true });
    await library.deleteProxyPool({ poolId });
    const again = await reopen();
    await assert.rejects(again.listProxies({ poolId }), { kind: "not-found" });
    assert.deepEqual(
      (await again.listProxyPools({})).map(({ id }) => id),
      [other],
    );
  });

  test("have encrypted passwords, which are in no file and no record", async (t) => {
    const { library, dataDir, reopen } = await openLibrary(t);
    const poolId = await createPool(library, 3);
    const profileIds = await createProfiles(library, 3);
    await library.assignProxyPool({ poolId, profileIds, force: false });
    const [profileId = ""] = profileIds;
    const again = await reopen(); // This takes a snapshot and starts a journal.
    const shown = [
      await again.listProxyPools({}),
      await listProfiles(again),
      await again.profileProxy({ profileId }),
      await again.profileDetail({ profileId }),
    ];
    assert.ok(!/correct-horse|customer-7/.test(JSON.stringify(shown)));
    for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      assert.ok(!bytes.includes(password) && !bytes.includes("customer-7"), entry.name);
    }
    const { spec } = await again.profileSpec({ profileId });
    assert.equal(spec.proxy?.upstream.password, password);
  });
});

describe("assigning a pool", () => {
  test("gives the least used proxies first, then by index, and shows them", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const poolId = await createPool(library, 3);
    const [a = "", b = "", c = "", d = "", e = ""] = await createProfiles(library, 5);
    const first = await library.assignProxyPool({
      poolId,
      profileIds: [a, b.toUpperCase(), a],
      force: false,
    });
    assert.deepEqual(first.assigned, [
      { profileId: a, poolId, slot: 0 },
      { profileId: b, poolId, slot: 1 },
    ]);
    assert.deepEqual(
      slotsOf(await library.assignProxyPool({ poolId, profileIds: [c, d], force: false })),
      [2, 0],
    );
    // The profile's own proxy does not count for a new assignment, so slot 0 counts as used once.
    assert.deepEqual(slotsOf(await library.assignProxyPool({ poolId, profileIds: [b], force: true })), [1]);
    const check = async (opened: typeof library) => {
      const [profile] = await listProfiles(opened);
      const { proxy, proxyPoolId } = profile ?? {};
      assert.deepEqual(proxy, {
        enabled: true,
        host: "proxy-0.example",
        port: 8080,
        proxyType: "http",
        requiresAuth: true,
      });
      assert.equal(proxyPoolId, poolId);
      const direct = (await listProfiles(opened)).find((one) => one.id === e);
      assert.equal(direct?.proxy.enabled, false);
      assert.ok(direct !== undefined && !("proxyPoolId" in direct));
      assert.equal((await opened.listProxyPools({}))[0]?.profiles, 4);
    };
    await check(library);
    await check(await reopen());
  });

  test("is all or nothing", async (t) => {
    const { library } = await openLibrary(t);
    const poolId = await createPool(library, 2);
    const [a = "", b = ""] = await createProfiles(library, 2);
    const assign = (profileIds: string[], force = false, pool = poolId) =>
      library.assignProxyPool({ poolId: pool, profileIds, force });
    await assign([a]);
    const before = await listProfiles(library);
    await assert.rejects(assign([b, a]), {
      kind: "conflict",
      message: `profile ${a} has a proxy already; force true replaces it`,
    });
    await assert.rejects(assign([b, nobody], true), { kind: "conflict", message: /does not exist/ });
    await assert.rejects(assign([b], false, nobody), { kind: "not-found" });
    assert.deepEqual(await listProfiles(library), before);
    assert.equal((await library.profileProxy({ profileId: b })).enabled, false);
    const other = await createPool(library, 1);
    await assign([a, b], true, other);
    const [first, second] = await library.listProxyPools({});
    assert.deepEqual([first?.profiles, second?.profiles], [0, 2]);
    assert.deepEqual(
      (await listProfiles(library)).map((profile) => profile.proxyPoolId),
      [other, other],
    );
  });

  test("keeps a profile's proxy in the list when another field changes", async (t) => {
    const { library } = await openLibrary(t);
    const poolId = await createPool(library, 1);
    const [profileId = ""] = await createProfiles(library, 1);
    await library.assignProxyPool({ poolId, profileIds: [profileId], force: false });
    await library.setVariables({ profileId, variables: { A: "1" } });
    await library.profileUsed({ profileId });
    const [profile] = await listProfiles(library);
    assert.deepEqual([profile?.proxyPoolId, profile?.variableNames], [poolId, ["A"]]);
  });
});

test("echo services and the geo file are checked when they are set", async (t) => {
  const { library, dataDir } = await openLibrary(t);
  const set = (settings: { echoUrls?: string[]; geoFile?: string | null }) =>
    library.changeSettings({ settings });
  await assert.rejects(set({ echoUrls: ["ftp://echo.example"] }), { kind: "invalid", message: /ftp:/ });
  await assert.rejects(set({ geoFile: join(dataDir, "no.mmdb") }), { kind: "invalid", message: /no\.mmdb/ });
  await assert.rejects(set({ geoFile: join(dataDir, "vault.key") }), { kind: "invalid", message: /MaxMind/ });
  const geoFile = join(dataDir, "city.mmdb");
  writeFileSync(geoFile, Buffer.from(`tree${"\xab\xcd\xef"}MaxMind.commetadata`, "latin1"));
  const echoUrls = ["http://127.0.0.1:1/"];
  assert.deepEqual((await set({ echoUrls, geoFile })).geoFile, geoFile);
  assert.deepEqual((await library.readSettings({})).echoUrls, echoUrls);
});
