/** Profiles, tokens and settings of the library. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { slugOf } from "../../actors/library/create-profiles.ts";
import { defaultSettings } from "../../actors/library/settings.ts";
import { plainDevices } from "./devices.ts";
import { createProfiles, listProfiles, openLibrary } from "./library.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

describe("profiles", () => {
  test("are created with the specified record, newest last", async (t) => {
    const { library, clock } = await openLibrary(t);
    const reply = await library.createProfiles({
      nameTemplate: "Shop {n} of {n}",
      os: "windows",
      tags: ["a", "b"],
      timezone: "Europe/Berlin",
      languages: [],
      devices: plainDevices(2),
    });
    assert.deepEqual(reply.failed, []);
    assert.deepEqual(
      reply.created.map(({ name, timezone }) => [name, timezone]),
      [
        ["Shop 1 of 1", "Europe/Berlin"],
        ["Shop 2 of 2", "Europe/Berlin"],
      ],
    );
    const [first, second] = await listProfiles(library);
    assert.deepEqual(first, {
      id: reply.created[0]?.profile_id,
      name: "Shop 1 of 1",
      slug: "shop-1-of-1",
      os: "windows",
      status: "stopped",
      folder: null,
      groups: [],
      tags: ["a", "b"],
      variableNames: [],
      createdAt: new Date(clock.now()).toISOString(),
      lastUsed: null,
      proxy: { enabled: false, host: "", port: 0, proxyType: "http", requiresAuth: false },
    });
    assert.equal(second?.id, reply.created[1]?.profile_id);
  });

  test("get unique slugs", async (t) => {
    const { library, reopen } = await openLibrary(t);
    await createProfiles(library, 2, "Same");
    const again = await reopen();
    await createProfiles(again, 2, "same!");
    assert.deepEqual(
      (await listProfiles(again)).map((profile) => profile.slug),
      ["same", "same-2", "same-3", "same-4"],
    );
  });

  test("have slugs of lower-case letters, digits and hyphens", () => {
    const slugs = {
      "Profile 1": "profile-1",
      "  A  B__C ": "a-b-c",
      Größe: "gro-e",
      Éclair: "eclair",
      日本: "profile",
      "-": "profile",
    };
    for (const [name, slug] of Object.entries(slugs)) assert.equal(slugOf(name), slug);
  });

  test("show their running state", async (t) => {
    const { library } = await openLibrary(t);
    const [running, starting, crashed, stopped] = await createProfiles(library, 4);
    assert.ok(running !== undefined && starting !== undefined && crashed !== undefined);
    const profiles = await listProfiles(library, [
      { profileId: running.toUpperCase(), status: "running", cdpUrl: "http://127.0.0.1:1", headless: true },
      { profileId: starting, status: "starting", cdpUrl: null, headless: true },
      { profileId: crashed, status: "crashed", cdpUrl: "http://127.0.0.1:2", headless: false },
    ]);
    const state = profiles.map(({ id, status, cdpUrl, headless }) => ({ id, status, cdpUrl, headless }));
    assert.deepEqual(state, [
      { id: running, status: "running", cdpUrl: "http://127.0.0.1:1", headless: true },
      { id: starting, status: "starting", cdpUrl: undefined, headless: undefined },
      { id: crashed, status: "crashed", cdpUrl: undefined, headless: undefined },
      { id: stopped, status: "stopped", cdpUrl: undefined, headless: undefined },
    ]);
  });

  test("beyond the plan are refused, with the whole call", async (t) => {
    const { library } = await openLibrary(t);
    await library.changeSettings({ settings: { plan: { ...defaultSettings.plan, profilesMax: 3 } } });
    await createProfiles(library, 2);
    await assert.rejects(createProfiles(library, 2), {
      kind: "forbidden",
      message: /allows 3 profiles: there are 2/,
    });
    assert.equal((await listProfiles(library)).length, 2);
    await createProfiles(library, 1);
  });

  test("record their last use", async (t) => {
    const { library, clock, reopen } = await openLibrary(t);
    const [profileId = ""] = await createProfiles(library, 1);
    await library.setVariables({ profileId, variables: { A: "1" } });
    await clock.advance(5_000);
    await library.profileUsed({ profileId });
    const lastUsed = new Date(clock.now()).toISOString();
    const shown = async (opened: typeof library) => {
      const [profile] = await listProfiles(opened);
      return [profile?.lastUsed, profile?.variableNames];
    };
    assert.deepEqual(await shown(library), [lastUsed, ["A"]]);
    assert.deepEqual(await shown(await reopen()), [lastUsed, ["A"]]);
  });

  test("have a specification for a launch", async (t) => {
    const { library, dataDir } = await openLibrary(t);
    const [profileId = ""] = await createProfiles(library, 1);
    await library.changeSettings({ settings: { idleTimeoutSecs: 7 } });
    assert.deepEqual(await library.profileSpec({ profileId: profileId.toUpperCase() }), {
      spec: {
        profileId,
        name: "Profile 1",
        os: "linux",
        timezone: "Europe/Berlin",
        userDataDir: join(dataDir, "profiles", profileId, "chromium"),
        fingerprint: plainDevices(1)[0] ?? null,
        languages: [],
        proxy: null,
        uploadsDir: join(dataDir, "uploads"),
        keepsSessionCookies: true,
        freezeAfterSecs: 60,
      },
      idleTimeoutSecs: 7,
    });
    for (const call of [library.profileSpec, library.profileUsed]) {
      await assert.rejects(call({ profileId: nobody }), { kind: "not-found", message: new RegExp(nobody) });
    }
  });

  test("keep stored variables, replaced as a whole, listed by name only and encrypted on disk", async (t) => {
    const { library, dataDir, reopen } = await openLibrary(t);
    const [profileId = ""] = await createProfiles(library, 1);
    const secret = "correct horse battery staple";
    const set = (variables: Record<string, string>) => library.setVariables({ profileId, variables });
    assert.deepEqual(await set({ OLD: "x" }), { names: ["OLD"] });
    assert.deepEqual(await set({ b_2: secret, A: "" }), { names: ["A", "b_2"] });
    for (const name of ["1a", "a-b", "", "ä", "a".repeat(65)]) {
      await assert.rejects(set({ [name]: "x" }), { kind: "invalid" }, name);
    }
    await set({ A: "", b_2: secret, ["a".repeat(64)]: "x".repeat(64 * 1024) });
    await assert.rejects(set({ a: "ä".repeat(32 * 1024 + 1) }), {
      kind: "invalid",
      message: /65538 bytes, at most 65536/,
    });
    await assert.rejects(library.setVariables({ profileId: nobody, variables: {} }), { kind: "not-found" });
    const again = await reopen();
    assert.deepEqual((await listProfiles(again))[0]?.variableNames, ["A", "a".repeat(64), "b_2"]);
    for (const name of readdirSync(dataDir)) {
      const path = join(dataDir, name);
      if (statSync(path).isFile()) assert.ok(!readFileSync(path).includes(secret), name);
    }
  });
});

describe("tokens", () => {
  test("are shown once and stored as a hash", async (t) => {
    const { library, dataDir, reopen } = await openLibrary(t);
    const { token } = await library.mintToken({ name: "ci", access: "read" });
    const sha256 = createHash("sha256").update(token).digest("hex");
    assert.ok(token.length > 40);
    assert.deepEqual(await library.tokenKeys({}), [{ name: "ci", access: "read", sha256 }]);
    const files = () =>
      readdirSync(dataDir)
        .map((name) => join(dataDir, name))
        .filter((path) => statSync(path).isFile());
    assert.ok(files().some((path) => readFileSync(path).includes(sha256)));
    const again = await reopen();
    assert.ok(files().every((path) => !readFileSync(path).includes(token)));
    assert.deepEqual(Object.keys((await again.listTokens({}))[0] ?? {}), [
      "name",
      "access",
      "createdAt",
      "lastUsed",
    ]);
  });

  test("have unique names and can be revoked", async (t) => {
    const { library } = await openLibrary(t);
    await library.mintToken({ name: "a", access: "write" });
    await assert.rejects(library.mintToken({ name: "a", access: "read" }), { kind: "conflict" });
    await assert.rejects(library.mintToken({ name: " ", access: "read" }), { kind: "invalid" });
    await library.revokeToken({ name: "a" });
    assert.deepEqual(await library.tokenKeys({}), []);
    await assert.rejects(library.revokeToken({ name: "a" }), { kind: "not-found" });
    await library.mintToken({ name: "a", access: "read" });
  });

  test("record the latest use", async (t) => {
    const { library } = await openLibrary(t);
    await library.mintToken({ name: "a", access: "write" });
    const [early, late] = ["2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"];
    await library.tokensUsed({
      uses: [
        { name: "a", at: late },
        { name: "a", at: early },
        { name: "gone", at: late },
      ],
    });
    assert.equal((await library.listTokens({}))[0]?.lastUsed, late);
  });
});

describe("settings", () => {
  test("have defaults, can be changed individually and persist", async (t) => {
    const { library, reopen } = await openLibrary(t);
    assert.deepEqual(await library.readSettings({}), defaultSettings);
    assert.equal(defaultSettings.apiEnabled, false);
    const changed = {
      ...defaultSettings,
      apiEnabled: true,
      apiPort: 4321,
      plan: { ...defaultSettings.plan, api: false },
    };
    const { apiEnabled, apiPort, plan } = changed;
    assert.deepEqual(await library.changeSettings({ settings: { apiEnabled, apiPort, plan } }), changed);
    assert.deepEqual(await (await reopen()).readSettings({}), changed);
  });

  test("are not stored when they are unknown", async (t) => {
    const { library } = await openLibrary(t);
    const settings = { apiPort: 5, surprise: 1 };
    assert.deepEqual(await library.changeSettings({ settings }), { ...defaultSettings, apiPort: 5 });
  });
});

test("a closed library refuses every call", async (t) => {
  const { library, reopen } = await openLibrary(t);
  await reopen();
  await assert.rejects(library.readSettings({}), { kind: "internal", message: /closed/ });
  await assert.rejects(createProfiles(library, 1), { kind: "internal", message: /closed/ });
});
