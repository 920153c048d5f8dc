/** Organising profiles: changes of the list, labels, the trash, and the remains of a deleted profile. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { KeptProfile, ListVersion } from "../../protocol/messages/profile-keeping.ts";
import { integrityOf } from "../storage/integrity.ts";
import { newDataset } from "./datasets.ts";
import { createProfiles, listProfiles, openLibrary, runInput, saveScript } from "./library.ts";

async function changes(library: LibraryApi, since: ListVersion | null, limit = 1_000) {
  const { json, ...rest } = await library.profilesSince({ since, limit });
  const profiles: KeptProfile[] = JSON.parse(Buffer.from(json).toString("utf8"));
  return { ...rest, profiles };
}

const names = (profiles: { name: string }[]) => profiles.map(({ name }) => name);

describe("labels", () => {
  test("a rename changes the slug, and the old slug is free again", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const [first = "", second = ""] = await createProfiles(library, 2);
    await library.editProfiles({ profileIds: [first], name: "Shop Ä" });
    await library.editProfiles({ profileIds: [second], name: "Profile 1" });
    const shown = (await listProfiles(await reopen())).map(({ name, slug }) => ({ name, slug }));
    assert.deepEqual(shown, [
      { name: "Shop Ä", slug: "shop-a" },
      { name: "Profile 1", slug: "profile-1" },
    ]);
  });
  test("one call changes folder, tags and groups of many profiles, and leaves other labels unchanged", async (t) => {
    const { library } = await openLibrary(t);
    const ids = await createProfiles(library, 3, "P {n}", { tags: ["eu", "new"] });
    await library.editProfiles({
      profileIds: ids.slice(0, 2),
      folder: "Shops",
      addTags: ["warm", "eu"],
      removeTags: ["new"],
    });
    await library.editProfiles({ profileIds: ids.slice(1), addGroups: ["A"] });
    const shown = (await listProfiles(library)).map(({ folder, tags, groups }) => ({ folder, tags, groups }));
    assert.deepEqual(shown, [
      { folder: "Shops", tags: ["eu", "warm"], groups: [] },
      { folder: "Shops", tags: ["eu", "warm"], groups: ["A"] },
      { folder: null, tags: ["eu", "new"], groups: ["A"] },
    ]);
  });
  test("an unknown profile, or one name for several profiles, changes nothing", async (t) => {
    const { library } = await openLibrary(t);
    const ids = await createProfiles(library, 2);
    const nobody = "00000000-0000-4000-8000-000000000000";
    await assert.rejects(library.editProfiles({ profileIds: [...ids, nobody], folder: "X" }), {
      kind: "not-found",
    });
    await assert.rejects(library.editProfiles({ profileIds: ids, name: "Same" }), { kind: "invalid" });
    assert.ok((await listProfiles(library)).every(({ folder, name }) => folder === null && name !== "Same"));
  });
});

describe("the trash", () => {
  test("hides a profile from list, launch and run until it is restored to its old place", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const [first = "", second = ""] = await createProfiles(library, 2);
    const { scriptId } = await saveScript(library);
    await library.trashProfiles({ profileIds: [first] });
    assert.deepEqual(names(await listProfiles(library)), ["Profile 2"]);
    await assert.rejects(library.profileSpec({ profileId: first }), { kind: "not-found" });
    await assert.rejects(library.createRun(runInput(scriptId, [first, second])), { kind: "conflict" });
    await assert.rejects(library.trashProfiles({ profileIds: [first] }), { kind: "not-found" });
    const again = await reopen();
    assert.deepEqual(names(await listProfiles(again)), ["Profile 2"]);
    const kept = (await changes(again, null)).profiles.map(({ name, trashedAt }) => [
      name,
      trashedAt !== null,
    ]);
    assert.deepEqual(kept, [
      ["Profile 1", true],
      ["Profile 2", false],
    ]);
    await again.restoreProfiles({ profileIds: [first] });
    assert.deepEqual(names(await listProfiles(again)), ["Profile 1", "Profile 2"]);
    await again.profileSpec({ profileId: first });
  });

  test("a part of a run whose profile is in the trash does not begin", async (t) => {
    const { library } = await openLibrary(t);
    const [profileId = ""] = await createProfiles(library, 1);
    const { scriptId } = await saveScript(library);
    const { run } = await library.createRun(runInput(scriptId, [profileId]));
    await library.trashProfiles({ profileIds: [profileId] });
    await assert.rejects(library.beginRunProfile({ runId: run.id, profileId }), { kind: "not-found" });
  });

  test("emptying it removes directory, record and variables, and releases dataset rows", async (t) => {
    const { library, dataDir, reopen } = await openLibrary(t);
    const rows = [{ mail: "a@x" }, { mail: "b@x" }];
    const { dataset } = await newDataset(library, "fixed", [{ name: "mail" }], rows);
    const [gone = "", stays = ""] = await createProfiles(library, 2, "P {n}", {
      identityDatasetId: dataset.id,
    });
    for (const id of [gone, stays]) {
      mkdirSync(join(dataDir, "profiles", id, "chromium"), { recursive: true });
      writeFileSync(join(dataDir, "profiles", id, "chromium", "Cookies"), "login");
    }
    await library.setVariables({ profileId: gone, variables: { secret: "s" } });
    await assert.rejects(library.deleteForGood({ profileIds: [gone] }), { kind: "not-found" });
    assert.ok(existsSync(join(dataDir, "profiles", gone)), "profiles outside the trash are not affected");
    await library.trashProfiles({ profileIds: [gone] });
    const { version } = await changes(library, null);
    assert.deepEqual(await library.deleteForGood({ profileIds: null }), { deleted: 1 });
    assert.deepEqual(readdirSync(join(dataDir, "profiles")), [stays]);
    assert.deepEqual((await changes(library, version)).removed, [gone]);
    const [left] = await library.listDatasets({});
    assert.equal(left?.profiles, 1);
    const again = await reopen();
    assert.deepEqual(names((await changes(again, null)).profiles), ["P 2"]);
    assert.equal(await again.look(integrityOf), "ok");
    await createProfiles(again, 1, "P 1", { identityDatasetId: dataset.id });
    assert.equal((await listProfiles(again))[1]?.slug, "p-1", "the deleted profile's slug is free");
  });

  test("restoring respects the plan's limit", async (t) => {
    const { library } = await openLibrary(t);
    const [first = ""] = await createProfiles(library, 1);
    await library.trashProfiles({ profileIds: [first] });
    const { plan } = await library.readSettings({});
    await library.changeSettings({ settings: { plan: { ...plan, profilesMax: 1 } } });
    await createProfiles(library, 1, "New");
    await assert.rejects(library.restoreProfiles({ profileIds: [first] }), { kind: "forbidden" });
  });
});

describe("the list as it changes", () => {
  test("is read in parts, and then only its changes", async (t) => {
    const { library } = await openLibrary(t);
    const ids = await createProfiles(library, 5);
    const part = await changes(library, null, 3);
    assert.deepEqual(
      [names(part.profiles), part.fresh, part.more],
      [["Profile 1", "Profile 2", "Profile 3"], true, true],
    );
    const rest = await changes(library, part.version, 3);
    assert.deepEqual(
      [names(rest.profiles), rest.fresh, rest.more],
      [["Profile 4", "Profile 5"], false, false],
    );
    await library.editProfiles({ profileIds: [ids[1] ?? ""], name: "Renamed" });
    await library.profileUsed({ profileId: ids[4] ?? "" });
    const changed = await changes(library, rest.version);
    assert.deepEqual(
      changed.profiles.map(({ name, position }) => [name, position]),
      [
        ["Renamed", 2],
        ["Profile 5", 5],
      ],
    );
    assert.deepEqual((await changes(library, changed.version)).profiles, []);
  });
  test("a reader from before a restart starts again", async (t) => {
    const { library, reopen } = await openLibrary(t);
    await createProfiles(library, 2);
    const { version } = await changes(library, null);
    const { fresh, profiles } = await changes(await reopen(), version);
    assert.deepEqual([fresh, profiles.length], [true, 2]);
  });
});
