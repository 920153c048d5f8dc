/** Which files of a profile a worker uses again, and which it fetches. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openArchives } from "../../../actors/fleet/archives.ts";
import { markDirectory } from "../../../actors/fleet/directory-store.ts";
import { createProfileCache } from "../../../actors/runs/fleet-cache.ts";
import { packProfile, unpackProfile } from "../../../actors/tasks/archives.ts";
import type { StoredArchive } from "../../../protocol/fleet.ts";

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

const markName = "archive-kept";

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
  const stored = await archives.put("profiles/p/7", file);
  const cache = createProfileCache(root, archives, { packProfile, unpackProfile });
  const preferences = join(root, profileId, "chromium", "Default", "Preferences");
  return {
    stored,
    /** Of the files as a part has changed them. */
    newer: { ...stored, sha256: "f".repeat(64) },
    cache,
    ready: (archive: StoredArchive) => cache.ready(profileId, archive),
    kept: (archive: StoredArchive) => cache.isKept(profileId, archive),
    change: () => writeFileSync(preferences, "changed here"),
    preferences: () => readFileSync(preferences, "utf8"),
    mark: join(root, profileId, markName),
    dirs: () => readdirSync(root),
  };
}

test("files are fetched once, and used again while the store has the same", async (t) => {
  const { stored, newer, ready, kept, change, preferences } = await worker(t);
  await ready(stored);
  assert.equal(preferences(), "as stored");
  change();
  await kept(newer);
  await ready(newer);
  assert.equal(preferences(), "changed here");
  await kept(newer);
  await ready(stored);
  assert.equal(preferences(), "as stored", "as in another fleet, whose epochs may be the same");
});

test("files that a part has changed, and whose end the store does not have, are fetched", async (t) => {
  const { stored, ready, kept, change, preferences } = await worker(t);
  await ready(stored);
  await kept(stored);
  await ready(stored);
  change();
  await ready(stored);
  assert.equal(preferences(), "as stored");
});

test("files of an earlier boot are fetched, since a power cut may have taken some", async (t) => {
  const { stored, newer, ready, kept, change, preferences, mark } = await worker(t);
  await ready(stored);
  change();
  await kept(newer);
  writeFileSync(mark, `${readFileSync(mark, "utf8")}-before`);
  await assert.rejects(ready({ ...newer, key: "profiles/p/8" }), { kind: "not-found" });
  await ready(stored);
  assert.equal(preferences(), "as stored");
});

test("a new process removes what was open when the earlier one ended, and nothing else", async (t) => {
  const { stored, ready, kept, cache, dirs } = await worker(t);
  await ready(stored);
  await kept(stored);
  await cache.clear();
  assert.deepEqual(dirs(), [profileId]);
  await ready(stored);
  await cache.clear();
  assert.deepEqual(dirs(), []);
});
