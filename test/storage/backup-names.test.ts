/** What a backup does with odd names and with what is no plain file. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createLibrary } from "../../actors/library/library.ts";
import { addTree } from "../../storage/backup-tree.ts";
import { isProfileFile } from "../../storage/profile-files.ts";
import { restoreBackup } from "../../storage/restore.ts";
import { createProfiles } from "../actors/library.ts";
import { temporaryDir } from "./open.ts";

const notUtf8 = (dir: string, name: string) =>
  Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(name, "latin1")]);

async function withProfile(t: TestContext) {
  const root = temporaryDir(t);
  const dataDir = join(root, "data");
  const library = await createLibrary({ dataDir, clock: new ManualClock() });
  t.after(() => library.close({}));
  const [id = ""] = await createProfiles(library, 1);
  const profile = join(dataDir, "profiles", id, "chromium", "Default");
  mkdirSync(profile, { recursive: true });
  const file = join(root, "backup.tar.gz");
  const backup = () => library.backup({ file, passphrase: null, running: [] });
  return { root, dataDir, id, profile, file, backup };
}

test("files whose names have line feeds and line separators are backed up and restored", async (t) => {
  const { root, dataDir, id, profile, file, backup } = await withProfile(t);
  const names = ["a\nb", "c\u2028d", "e\u2029f", "\n", "g\r", "\ufeffh"];
  const uploads = join(dataDir, "uploads");
  mkdirSync(join(uploads, "in\n"));
  for (const dir of [uploads, join(uploads, "in\n"), profile])
    for (const name of names) writeFileSync(join(dir, name), `${dir} ${name}`);
  assert.deepEqual((await backup()).leftOutFiles, []);
  const restored = join(root, "restored");
  await restoreBackup(file, restored, null);
  for (const dir of ["uploads", "uploads/in\n", `profiles/${id}/chromium/Default`])
    for (const name of names)
      assert.equal(readFileSync(join(restored, dir, name), "utf8"), `${join(dataDir, dir)} ${name}`);
});

test("caches are left out whatever follows in their names", () => {
  assert.ok(!isProfileFile("GPU\u2028Cache/x"));
  assert.ok(!isProfileFile("Default/Dawn\nCache"));
});

test("a backup goes on past names that are not UTF-8, links and strays, and says that it left them out", async (t) => {
  if (process.platform !== "linux") return; // Other systems refuse such names.
  const { root, dataDir, id, profile, file, backup } = await withProfile(t);
  const uploads = join(dataDir, "uploads");
  writeFileSync(join(uploads, "good"), "good");
  writeFileSync(notUtf8(uploads, "caf\xe9.txt"), "");
  mkdirSync(notUtf8(uploads, "d\xff"));
  writeFileSync(notUtf8(profile, "\xe9"), "");
  symlinkSync("/etc/hostname", join(uploads, "link"));
  symlinkSync("/etc", join(profile, "folder"));
  writeFileSync(join(dataDir, "profiles", "notes"), "");
  mkdirSync(join(dataDir, "profiles", "lost+found"));
  const made = await backup();
  assert.deepEqual(made.profiles, [id]);
  assert.deepEqual(
    made.leftOutFiles.sort((a, b) => (a.path < b.path ? -1 : 1)),
    [
      { path: `profiles/${id}/chromium/Default/\\xe9`, reason: "name-not-utf8" },
      { path: `profiles/${id}/chromium/Default/folder`, reason: "symbolic-link" },
      { path: "profiles/lost+found", reason: "not-a-profile" },
      { path: "profiles/notes", reason: "not-a-profile" },
      { path: "uploads/caf\\xe9.txt", reason: "name-not-utf8" },
      { path: "uploads/d\\xff", reason: "name-not-utf8" },
      { path: "uploads/link", reason: "symbolic-link" },
    ],
  );
  await restoreBackup(file, join(root, "restored"), null);
  assert.equal(readFileSync(join(root, "restored/uploads/good"), "utf8"), "good");
});

test("a file or directory that vanishes after it was listed does not fail the backup", async (t) => {
  const dir = temporaryDir(t);
  for (const name of ["a", "b", "c"]) writeFileSync(join(dir, name), name);
  mkdirSync(join(dir, "d"));
  const added: string[] = [];
  const addFile = async (path: string) => {
    added.push(path);
    return { path, bytes: 1, sha256: "" };
  };
  const wanted = (path: string) => {
    if (path === "b" || path === "d") rmSync(join(dir, path), { recursive: true });
    return true;
  };
  const { files, leftOut } = await addTree({ addFile }, { as: "uploads", dir, wanted });
  assert.deepEqual(added.sort(), ["uploads/a", "uploads/c"]);
  assert.equal(files.length, 2);
  assert.deepEqual(leftOut, []);
});

test("an error at a file names that file, not the archive", async (t) => {
  const { dataDir, backup } = await withProfile(t);
  rmSync(join(dataDir, "uploads"), { recursive: true });
  symlinkSync("uploads", join(dataDir, "uploads"));
  await assert.rejects(backup(), {
    kind: "internal",
    message: new RegExp(`^${join(dataDir, "uploads")}: ELOOP`),
  });
});
