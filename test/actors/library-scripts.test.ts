/** Scripts of the library: approval, and refused runs. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { defaultSettings } from "../../actors/library/settings.ts";
import { createProfiles, openLibrary, runInput, saveScript } from "./library.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

describe("a script", () => {
  test("is saved unapproved as version 1, read completely and listed without its source", async (t) => {
    const { library, clock } = await openLibrary(t);
    const source = "export default async () => '\u0000 😀'";
    const saved = await saveScript(library, source);
    assert.equal(saved.approved, false);
    assert.equal(saved.version, "1");
    const now = new Date(clock.now()).toISOString();
    const listing = {
      id: saved.scriptId,
      name: "Script",
      version: "1",
      mode: "raw",
      origin: "api",
      approved: false,
    };
    assert.deepEqual(await library.listScripts({}), [listing]);
    assert.deepEqual(await library.readScript({ scriptId: saved.scriptId }), {
      ...listing,
      description: "",
      source,
      sha256: createHash("sha256").update(source).digest("hex"),
      createdAt: now,
      updatedAt: now,
    });
    await assert.rejects(library.readScript({ scriptId: nobody }), { kind: "not-found" });
    await assert.rejects(saveScript(library, source, nobody), { kind: "not-found" });
  });

  test("loses its approval when its source changes, also back to the old source, but not when its name changes", async (t) => {
    const { library } = await openLibrary(t);
    const { scriptId } = await saveScript(library, "one");
    assert.equal((await library.approveScript({ scriptId, sha256: null })).approved, true);
    const renamed = {
      name: "Other",
      source: "one",
      description: "d",
      library: "puppeteer",
      scriptId,
    } as const;
    assert.deepEqual(await library.saveScript(renamed), { approved: true, scriptId, version: "1" });
    assert.deepEqual(await saveScript(library, "two", scriptId), { approved: false, scriptId, version: "2" });
    assert.deepEqual(await saveScript(library, "one", scriptId), { approved: false, scriptId, version: "3" });
    assert.equal((await library.listScripts({}))[0]?.approved, false);
  });

  test("is approved only for the source that the user saw", async (t) => {
    const { library } = await openLibrary(t);
    const { scriptId } = await saveScript(library, "one");
    const { sha256 } = await library.readScript({ scriptId });
    await saveScript(library, "two", scriptId);
    await assert.rejects(library.approveScript({ scriptId, sha256 }), { kind: "conflict" });
    assert.equal((await library.readScript({ scriptId })).approved, false);
    const seen = (await library.readScript({ scriptId })).sha256;
    assert.equal((await library.approveScript({ scriptId, sha256: seen })).approved, true);
    await assert.rejects(library.approveScript({ scriptId: nobody, sha256: null }), { kind: "not-found" });
  });
});

describe("the last approved source", () => {
  test("is kept until its replacement is approved", async (t) => {
    const { library } = await openLibrary(t);
    const { scriptId } = await saveScript(library, "one");
    const approved = async () => (await library.reviewScript({ scriptId })).approvedSource;
    assert.equal(await approved(), null);
    await library.approveScript({ scriptId, sha256: null });
    await saveScript(library, "two", scriptId);
    await saveScript(library, "three", scriptId);
    const { script, approvedSource } = await library.reviewScript({ scriptId });
    assert.deepEqual([script.source, script.approved, approvedSource], ["three", false, "one"]);
    await library.approveScript({ scriptId, sha256: script.sha256 });
    assert.equal(await approved(), "three");
    await assert.rejects(library.reviewScript({ scriptId: nobody }), { kind: "not-found" });
  });
});

describe("a script that the user replaced", () => {
  test("belongs to the user, and the API can no longer replace it", async (t) => {
    const { library } = await openLibrary(t);
    const { scriptId } = await saveScript(library, "one");
    const given = { name: "Mine", source: "two", description: "", library: "playwright" } as const;
    await library.saveScript({ ...given, scriptId, origin: "app" });
    assert.equal((await library.readScript({ scriptId })).origin, "app");
    await assert.rejects(saveScript(library, "three", scriptId), { kind: "conflict" });
    await library.saveScript({ ...given, source: "three", scriptId, origin: "app" });
    assert.equal((await library.readScript({ scriptId })).source, "three");
  });
});

describe("a run is refused", () => {
  test("when its script, its profiles or its variables are invalid", async (t) => {
    const { library } = await openLibrary(t);
    const profileIds = await createProfiles(library, 4);
    const { scriptId } = await saveScript(library);
    const create = (changes: object) =>
      library.createRun({ ...runInput(scriptId, profileIds.slice(0, 3)), ...changes });
    await assert.rejects(create({ scriptId: nobody }), { kind: "not-found" });
    await assert.rejects(create({ profileIds: [] }), { kind: "invalid" });
    const unknown = randomUUID();
    await assert.rejects(create({ profileIds: [profileIds[0], unknown] }), {
      kind: "conflict",
      message: `profile ${unknown} does not exist`,
    });
    await assert.rejects(create({ variables: { "a b": "" } }), { kind: "invalid", message: /"a b"/ });
    await assert.rejects(create({ variables: { a: "x".repeat(65537) } }), {
      kind: "invalid",
      message: /variables\.a/,
    });
    await assert.rejects(create({ profileIds }), { kind: "invalid", message: /at most 3 profiles, got 4/ });
    await assert.rejects(create({ batch: true }), { kind: "invalid", message: /approved/ });
    assert.deepEqual(await library.listRuns({ scheduleId: null, limit: 10 }), []);
    await create({});
    await library.approveScript({ scriptId, sha256: null });
    await create({ profileIds });
    await create({ batch: true });
  });

  test("when the plan has no scripts (invalid) or no parallel runs (forbidden)", async (t) => {
    const { library } = await openLibrary(t);
    const profileIds = await createProfiles(library, 2);
    const { scriptId } = await saveScript(library);
    await library.changeSettings({ settings: { plan: { ...defaultSettings.plan, parallelRuns: false } } });
    await assert.rejects(library.createRun(runInput(scriptId, profileIds)), { kind: "forbidden" });
    await library.createRun(runInput(scriptId, profileIds.slice(0, 1)));
    await library.createRun(runInput(scriptId, profileIds, { concurrency: 1 }));
    await library.changeSettings({ settings: { plan: { ...defaultSettings.plan, flow: false } } });
    await assert.rejects(library.createRun(runInput(scriptId, profileIds.slice(0, 1))), { kind: "invalid" });
    await assert.rejects(saveScript(library), { kind: "invalid" });
  });
});
