/** Which files of a profile a worker uses again, and which it fetches. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openArchives } from "../../../actors/fleet/archives.ts";
import { markDirectory } from "../../../actors/fleet/directory-store.ts";
import { createProfileCache } from "../../../actors/runs/fleet-cache.ts";
import { packProfile, unpackProfile } from "../../../actors/tasks/archives.ts";

const profileId = "5f0c9f5e-4f4f-4d0e-9f43-1a2b3c4d5e6f";
const profile = {
  name: "Shopper",
  os: "linux" as const,
  timezone: "Europe/Paris",
  languages: ["fr-FR"],
  fingerprint: null,
  folder: null,
  groups: [],
  tags: [],
  variables: [],
  proxy: null,
};

/** A worker's room with the profile's archive in its store, and how to change the files on the worker. */
async function worker(t: TestContext) {
  const room = mkdtempSync(join(tmpdir(), "troupe-cache-"));
  t.after(() => rmSync(room, { recursive: true, force: true }));
  const [source, store, file] = [join(room, "source"), join(room, "store"), join(room, "sent")];
  const root = join(room, "profiles");
  mkdirSync(join(source, "Default", "Local Storage"), { recursive: true });
  writeFileSync(join(source, "Default", "Preferences"), "as stored");
  writeFileSync(join(source, "Default", "Local Storage", "empty"), "");
  await markDirectory(store);
  const archives = openArchives({ archives: `dir:${store}` });
  await packProfile({ file, userDataDir: source, profile, createdAt: "2026-11-29T00:00:00.000Z" });
  const archive = await archives.put("profiles/p/7", file);
  const cache = createProfileCache(root, archives, { packProfile, unpackProfile });
  const preferences = join(root, profileId, "chromium", "Default", "Preferences");
  return {
    ready: (epoch: number) => cache.ready(profileId, archive, epoch),
    kept: (epoch: number) => cache.isKept(profileId, epoch),
    change: () => writeFileSync(preferences, "changed here"),
    preferences: () => readFileSync(preferences, "utf8"),
    mark: join(root, profileId, "epoch"),
  };
}

test("files are fetched once, and used again while the store has their epoch", async (t) => {
  const { ready, kept, change, preferences } = await worker(t);
  await ready(7);
  assert.equal(preferences(), "as stored");
  change();
  await kept(8);
  await ready(8);
  assert.equal(preferences(), "changed here");
  await kept(8);
  await ready(9);
  assert.equal(preferences(), "as stored", "the archive is of another epoch");
});

test("files that a part has changed, and whose end the store does not have, are fetched", async (t) => {
  const { ready, kept, change, preferences } = await worker(t);
  await ready(7);
  await kept(7);
  await ready(7);
  change();
  await ready(7);
  assert.equal(preferences(), "as stored");
});

test("files of an earlier boot are fetched, since a power cut may have taken some", async (t) => {
  const { ready, kept, change, preferences, mark } = await worker(t);
  await ready(7);
  change();
  await kept(8);
  const [epoch, boot] = readFileSync(mark, "utf8").split(" ");
  assert.equal(epoch, "8");
  writeFileSync(mark, `8 ${boot}-before`);
  await ready(8);
  assert.equal(preferences(), "as stored");
});
