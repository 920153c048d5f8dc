/** The exits of a pool's proxies decide the timezone and languages of its profiles. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultSettings } from "../../actors/library/settings.ts";
import { createProfiles, listProfiles, openLibrary } from "./library.ts";
import { createBehind, createPool, dead, exitIn, nobody, password, slotsOf } from "./proxy-pools.ts";

describe("creating profiles behind a pool", () => {
  test("gives each profile a slot, and the timezone and languages of its exit", async (t) => {
    const { library } = await openLibrary(t);
    const poolId = await createPool(library, 3);
    const { proxies, sources } = await library.proxiesForNew({ poolId, count: 4 });
    assert.deepEqual(
      proxies.map(({ slot, upstream }) => [slot, upstream.host, upstream.password]),
      [0, 1, 2].map((slot) => [slot, `proxy-${slot}.example`, password]),
    );
    assert.deepEqual(sources.echoUrls, defaultSettings.echoUrls);
    const reply = await createBehind(library, poolId, 4, [
      { slot: 0, measurement: exitIn("FR", "Europe/Paris") },
      { slot: 1, measurement: exitIn(null, null) },
      { slot: 2, measurement: dead },
    ]);
    assert.deepEqual(
      reply.created.map(({ proxy_slot, timezone }) => [proxy_slot, timezone]),
      [
        [0, "Europe/Paris"],
        [1, "Europe/Berlin"],
        [2, "Europe/Berlin"],
        [0, "Europe/Paris"],
      ],
    );
    const profileId = reply.created[3]?.profile_id ?? "";
    const { spec } = await library.profileSpec({ profileId });
    assert.deepEqual(spec.languages, ["fr-FR", "fr", "en-US", "en"]);
    assert.equal(spec.proxy?.exit?.country, "FR");
    const { enabled, poolName, slot, address, proxyType, geo, error } = await library.profileProxy({
      profileId,
    });
    assert.deepEqual(
      { enabled, poolName, slot, address, proxyType, country: geo?.country, error },
      {
        enabled: true,
        poolName: "Pool",
        slot: 0,
        address: "proxy-0.example:8080",
        proxyType: "http",
        country: "FR",
        error: null,
      },
    );
    assert.equal((await listProfiles(library))[3]?.proxyPoolId, poolId);
  });

  test("is refused when the next proxies are not the measured ones, and creates nothing", async (t) => {
    const { library } = await openLibrary(t);
    const poolId = await createPool(library, 2);
    const measured = [{ slot: 0, measurement: exitIn("FR", "Europe/Paris") }];
    await createBehind(library, poolId, 1, measured);
    await assert.rejects(createBehind(library, poolId, 1, measured), (error: object) => {
      assert.ok("detail" in error);
      assert.deepEqual(error.detail, { code: "proxy-slots-taken" });
      return true;
    });
    assert.equal((await listProfiles(library)).length, 1);
  });

  test("uses an earlier measurement when this one fails", async (t) => {
    const { library } = await openLibrary(t);
    const poolId = await createPool(library, 1);
    await library.proxiesTested({ poolId, measured: [{ slot: 0, measurement: exitIn("JP", "Asia/Tokyo") }] });
    const { created } = await createBehind(library, poolId, 1, [{ slot: 0, measurement: dead }]);
    assert.equal(created[0]?.timezone, "Asia/Tokyo");
    assert.equal((await library.profileProxy({ profileId: created[0]?.profile_id ?? "" })).error, dead.error);
  });
});

describe("a launch's measurement", () => {
  test("is stored with the proxy and used by the next launch", async (t) => {
    const { library } = await openLibrary(t);
    const poolId = await createPool(library, 1);
    const [profileId = "", other = ""] = await createProfiles(library, 2);
    await library.assignProxyPool({ poolId, profileIds: [profileId, other], force: false });
    const at = { profileId, host: "proxy-0.example", port: 8080 };
    await library.exitMeasured({ ...at, measurement: exitIn("US", "America/Denver") });
    await library.exitMeasured({ ...at, host: "gone.example", measurement: exitIn("BR", "America/Bahia") });
    const { spec } = await library.profileSpec({ profileId: other });
    assert.equal(spec.timezone, "America/Denver");
    await library.exitMeasured({ ...at, measurement: dead });
    const { geo, error } = await library.profileProxy({ profileId });
    assert.deepEqual([geo?.timezone, error], ["America/Denver", dead.error]);
    await assert.rejects(library.profileProxy({ profileId: nobody }), { kind: "not-found" });
  });
});

describe("rotating pools", () => {
  const line = `gateway.example:7000:customer-{session}:${password}`;

  test("give each profile its own session and exit", async (t) => {
    const { library } = await openLibrary(t);
    const { id: poolId, kind } = await library.createRotatingPool({ name: "R", type: "residential", line });
    assert.equal(kind, "rotating");
    const profileIds = await createProfiles(library, 2);
    assert.deepEqual(slotsOf(await library.assignProxyPool({ poolId, profileIds, force: false })), [0, 0]);
    const users = async () => {
      const specs = profileIds.map((profileId) => library.profileSpec({ profileId }));
      return (await Promise.all(specs)).map(({ spec }) => spec.proxy?.upstream.username ?? "");
    };
    const [first = "", second = ""] = await users();
    assert.match(first, /^customer-[0-9a-f]{12}$/);
    assert.notEqual(first, second);
    assert.deepEqual(await users(), [first, second]);
    const [profileId = "", other = ""] = profileIds;
    const measurement = exitIn("CA", "America/Toronto");
    await library.exitMeasured({ profileId, host: "gateway.example", port: 7000, measurement });
    assert.equal((await library.profileProxy({ profileId })).geo?.country, "CA");
    assert.equal((await library.profileProxy({ profileId: other })).geo, null);
    assert.deepEqual((await library.listProxyPools({}))[0]?.countries, ["CA"]);
    const { proxies } = await library.proxiesToTest({ poolId });
    assert.ok(!(await users()).includes(proxies[0]?.upstream.username ?? ""));
  });

  test("need a placeholder for the session, and are refused for new profiles", async (t) => {
    const { library } = await openLibrary(t);
    const create = (given: string) => library.createRotatingPool({ name: "R", type: "http", line: given });
    await assert.rejects(create("gateway.example:7000:u:p"), { kind: "invalid", message: /\{session\}/ });
    await assert.rejects(create("nonsense"), { kind: "invalid" });
    const { id: poolId } = await create(line);
    await assert.rejects(library.proxiesForNew({ poolId, count: 1 }), {
      kind: "invalid",
      message: /rotating/,
    });
    await assert.rejects(createBehind(library, poolId, 1, []), { kind: "invalid" });
    await assert.rejects(createBehind(library, nobody, 1, []), { kind: "not-found" });
  });
});
