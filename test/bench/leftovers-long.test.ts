/** Counting a service's locks and files works while files on its disk appear and disappear. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { holdingsOf } from "../../bench/leftovers.ts";

test("locks are found while directories appear and disappear", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-holdings-"));
  t.after(() => rm(dir, { recursive: true, maxRetries: 10 }));
  const profile = join("profiles", "one", "user-data");
  await mkdir(join(dir, profile), { recursive: true });
  await symlink("nowhere-1", join(dir, profile, "SingletonLock"));
  let counting = true;
  const comeAndGo = async (name: string) => {
    for (let round = 0; counting; round += 1) {
      const made = join(dir, "tmp", name, String(round));
      await mkdir(join(made, "Default", "Segmentation Platform", "SignalDB"), { recursive: true });
      await rm(made, { recursive: true, maxRetries: 10 });
    }
  };
  const busy = ["a", "b", "c", "d"].map(comeAndGo);
  try {
    for (let count = 0; count < 100; count += 1) {
      const { locks } = await holdingsOf(process.pid, dir);
      assert.deepEqual(locks, [join(profile, "SingletonLock")]);
    }
  } finally {
    counting = false;
    await Promise.all(busy);
  }
});

test("an unreadable directory is an error, not an empty count", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-holdings-"));
  t.after(() => rm(dir, { recursive: true }));
  const file = join(dir, "a file");
  await writeFile(file, "");
  await assert.rejects(holdingsOf(process.pid, file), /ENOTDIR/);
});
