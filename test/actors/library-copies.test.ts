/** Copies, checkpoints and deletions of one profile at the same time: each sees and leaves whole files. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createProfileFiles } from "../../actors/library/profile-files.ts";
import { readProfileArchive } from "../../storage/profile-archive.ts";
import { createProfiles, openLibrary } from "./library.ts";

const fileCount = 60;
const names = Array.from({ length: fileCount }, (_, at) => `Default/Local Storage/${at}.ldb`);

/** A profile with a checkpoint of each word; every file of a checkpoint has its word. */
async function twoCheckpoints(t: TestContext) {
  const { library, dataDir } = await openLibrary(t);
  const [profileId = ""] = await createProfiles(library, 1);
  const home = join(dataDir, "profiles", profileId);
  const live = join(home, "chromium");
  const checkpointOf = async (word: string) => {
    mkdirSync(join(live, "Default/Local Storage"), { recursive: true });
    for (const name of names) writeFileSync(join(live, name), word);
    return (await library.createCheckpoint({ profileId, name: word, note: "" })).checkpoint_id;
  };
  const [one, two] = [await checkpointOf("one"), await checkpointOf("two")];
  const restore = (checkpointId: string) => library.restoreCheckpoint({ profileId, checkpointId });
  return { library, dataDir, profileId, home, live, one, two, restore };
}

/** The words of all files, each once. A missing file counts as a word. */
const wordsIn = (dir: string) => [
  ...new Set(
    names.map((name) => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), "utf8") : "none")),
  ),
];

test("two restores at once: the later one is there, whole", async (t) => {
  const { one, two, restore, live, home } = await twoCheckpoints(t);
  for (let round = 0; round < 3; round += 1) {
    await Promise.all([restore(one), restore(two)]);
    assert.deepEqual(wordsIn(live), ["two"]);
    assert.deepEqual(readdirSync(home).sort(), ["checkpoints", "chromium"]);
  }
});

test("what is copied during a restore is whole", async (t) => {
  const { library, dataDir, profileId, one, restore } = await twoCheckpoints(t);
  const copy = { profileId, nameTemplate: null, devices: [null], withState: true };
  const [, duplicated, { file }, checkpoint] = await Promise.all([
    restore(one),
    library.duplicateProfile(copy),
    library.exportProfile({ profileId, cookiesOnly: false }),
    library.createCheckpoint({ profileId, name: "third", note: "" }),
  ]);
  const unpacked = join(dataDir, "tmp", randomUUID());
  mkdirSync(join(unpacked, "chromium"), { recursive: true });
  await readProfileArchive(file, unpacked);
  const dirs = [
    join(dataDir, "profiles", duplicated.created[0]?.profile_id ?? "", "chromium"),
    join(unpacked, "chromium"),
    join(dataDir, "profiles", profileId, "checkpoints", checkpoint.checkpoint_id, "chromium"),
  ];
  for (const dir of dirs) assert.equal(wordsIn(dir).length, 1, `${dir} has ${wordsIn(dir)}`);
});

test("a copy appears when it is whole, so that one which a crash interrupts is removed with the temporary files", async (t) => {
  const { library, dataDir, profileId, home } = await twoCheckpoints(t);
  const copy = { profileId, nameTemplate: null, devices: [null, null], withState: true };
  let isDone = false;
  const copies = Promise.all([
    library.duplicateProfile(copy),
    library.createCheckpoint({ profileId, name: "third", note: "" }),
  ]).finally(() => {
    isDone = true;
  });
  const seen = new Set<string>();
  while (!isDone) {
    for (const room of [join(dataDir, "profiles"), join(home, "checkpoints")])
      for (const name of readdirSync(room)) seen.add(wordsIn(join(room, name, "chromium")).join());
    await nextTurn();
  }
  await copies;
  assert.deepEqual([...seen].sort(), ["one", "two"]);
  assert.deepEqual(readdirSync(join(dataDir, "tmp")), []);
});

test("a browser that starts during a restore gets the restored files", async (t) => {
  const { library, profileId, one, restore, live } = await twoCheckpoints(t);
  const restored = restore(one);
  await library.profileSpec({ profileId, opens: true });
  assert.deepEqual(wordsIn(live), ["one"]);
  await restored;
});

test("a profile deleted for good during a copy leaves nothing, and the copy fails or is whole", async (t) => {
  const { library, profileId, home, dataDir } = await twoCheckpoints(t);
  const copies = Promise.allSettled([
    library.createCheckpoint({ profileId, name: "last", note: "" }),
    library.exportProfile({ profileId, cookiesOnly: false }),
  ]);
  await library.trashProfiles({ profileIds: [profileId] });
  await library.deleteForGood({ profileIds: [profileId] });
  const [, exported] = await copies;
  assert.equal(existsSync(home), false);
  if (exported?.status !== "fulfilled" || !("file" in exported.value)) return;
  const unpacked = join(dataDir, "tmp", randomUUID());
  mkdirSync(join(unpacked, "chromium"), { recursive: true });
  await readProfileArchive(exported.value.file, unpacked);
  assert.deepEqual(wordsIn(join(unpacked, "chromium")), ["two"]);
});

test("a service that is killed between the two renames of a restore loses nothing", async (t) => {
  const { library, profileId, live, one, restore } = await twoCheckpoints(t);
  renameSync(live, `${live}.replaced`);
  mkdirSync(`${live}.restored`);
  await library.profileSpec({ profileId, opens: true });
  assert.deepEqual(wordsIn(live), ["two"]);
  rmSync(`${live}.restored`, { recursive: true });
  renameSync(live, `${live}.replaced`);
  const { checkpoint_id } = await library.createCheckpoint({ profileId, name: "again", note: "" });
  await restore(one);
  await restore(checkpoint_id);
  assert.deepEqual(wordsIn(live), ["two"]);
});

test("a browser that has opened the profile since its openings were counted, or opens it during a copy, is a conflict", async (t) => {
  const { library, profileId, one, live } = await twoCheckpoints(t);
  const openings = await library.profileOpenings({ profileId });
  await library.profileSpec({ profileId, opens: true });
  const opened = { kind: "conflict", message: /was opened meanwhile; stop it and try again/ };
  await assert.rejects(library.restoreCheckpoint({ profileId, checkpointId: one, openings }), opened);
  await assert.rejects(library.exportProfile({ profileId, cookiesOnly: false, openings }), opened);
  assert.deepEqual(wordsIn(live), ["two"]);
  const exported = assert.rejects(
    library.exportProfile({ profileId, cookiesOnly: false, openings: 1 }),
    opened,
  );
  await library.profileSpec({ profileId, opens: true });
  await exported;
});

test("a copy that the disk refuses says which disk, and what to do", async (t) => {
  const { dataDir, profileId } = await twoCheckpoints(t);
  const userData = (id: string) => join(dataDir, "profiles", id, "chromium");
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
  });
  await assert.rejects(
    createProfileFiles({ userData }).closed(profileId, () => Promise.reject(full)),
    { message: /cannot be used: the disk .* is full \(ENOSPC\); free some space on it/ },
  );
});
