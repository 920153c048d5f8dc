/** What a profile archive describes is checked before anything is unpacked. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { appendFile, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { ArchivedProfile } from "../../protocol/profile-copies.ts";
import { type ArchivedFile, writeArchive } from "../../storage/archive.ts";
import { readProfileArchive, writeProfileArchive } from "../../storage/profile-archive.ts";
import { copyProfileFiles } from "../../storage/profile-copy.ts";
import { makeDir, removeDir } from "../browser/fixture/profile.ts";

const profile: ArchivedProfile = {
  name: "Shop",
  os: "linux",
  folder: null,
  groups: [],
  tags: [],
  timezone: "UTC",
  languages: [],
  fingerprint: null,
  variables: [],
  proxy: null,
};

test("an archive that is whole and describes no profile is refused, with nothing unpacked", async (t) => {
  const dir = await makeDir();
  t.after(() => removeDir(dir));
  const wrongs: object[] = [
    { os: "amiga" },
    { fingerprint: { screen: "wide" } },
    { tags: [1] },
    { tags: [""] },
    { folder: "x".repeat(101) },
    { name: "" },
  ];
  for (const [index, wrong] of [{}, ...wrongs].entries()) {
    const file = join(dir, `${index}.troupe`);
    const about = {
      userDataDir: join(dir, "none"),
      cookiesOnly: false,
      createdAt: "2026-11-27T00:00:00.000Z",
    };
    await writeProfileArchive({ ...about, file, profile: { ...profile, ...wrong } as ArchivedProfile });
    const read = readProfileArchive(file, join(dir, "unpacked"));
    if (index === 0) assert.deepEqual((await read).profile, profile);
    else await assert.rejects(read, { kind: "invalid", message: /does not describe a profile/ });
  }
  assert.ok(!readdirSync(dir).includes("unpacked"));
});

/** A whole archive with these files, each with its path as text, as others may write one. */
async function archiveOf(file: string, paths: readonly string[]): Promise<void> {
  const source = join(dirname(file), "source");
  await writeArchive(file, async (archive) => {
    const files: ArchivedFile[] = [];
    for (const path of paths) {
      await writeFile(source, path);
      const handle = await open(source);
      files.push(await archive.addFile(path, handle));
      await handle.close();
    }
    const about = { kind: "troupe-profile", version: 1, createdAt: "2026-11-27T00:00:00.000Z", files };
    return { ...about, platform: process.platform, engine: null, cookiesOnly: false, profile };
  });
  const sum = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  const header = [0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff];
  await appendFile(
    file,
    Buffer.concat([
      Buffer.from(header),
      Buffer.from(`sha256=${sum}\0`),
      Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]),
  );
}

test("what a copy leaves out is not unpacked either: a lock in an archive would keep its profile from starting", async (t) => {
  const dir = await makeDir();
  t.after(() => removeDir(dir));
  const file = join(dir, "a.troupe");
  await archiveOf(file, [
    "chromium/SingletonLock",
    "chromium/Default/Cache/data_0",
    "chromium/Default/Cookies",
  ]);
  await readProfileArchive(file, join(dir, "unpacked"));
  assert.deepEqual(readdirSync(join(dir, "unpacked/chromium"), { recursive: true }).sort(), [
    "Default",
    "Default/Cookies",
  ]);
});

test("a path that would leave no room for the directories of checkpoints is refused", async (t) => {
  const dir = await makeDir();
  t.after(() => removeDir(dir));
  const file = join(dir, "a.troupe");
  await archiveOf(file, [`chromium/${"d/".repeat(1600)}x`]);
  await assert.rejects(readProfileArchive(file, join(dir, "unpacked")), {
    kind: "invalid",
    message: /too long/,
  });
});

test("a copy leaves out a name that is not UTF-8, as an archive does", async (t) => {
  const dir = await makeDir();
  t.after(() => removeDir(dir));
  const from = join(dir, "from");
  await mkdir(from);
  await writeFile(join(from, "Local State"), "{}");
  await writeFile(Buffer.concat([Buffer.from(`${from}/caf`), Buffer.from([0xe9])]), "x");
  assert.equal(await copyProfileFiles(from, join(dir, "to")), 2);
  assert.deepEqual(readdirSync(join(dir, "to")), ["Local State"]);
});
