/** Backups restore everything, contain secrets only under a passphrase, and leave no files when they fail. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createLibrary, type Library } from "../../actors/library/library.ts";
import { isProfileFile } from "../../storage/profile-files.ts";
import { restoreBackup } from "../../storage/restore.ts";
import { createProfiles, listProfiles } from "../actors/library.ts";
import { integrityOf } from "./integrity.ts";
import { temporaryDir } from "./open.ts";

const clock = new ManualClock();
const secret = "correct horse";

interface Original {
  root: string;
  dataDir: string;
  library: Library;
  profileIds: string[];
  file: string;
}

/** An open library with three profiles that have browser files; the first has a secret variable. */
async function original(t: TestContext): Promise<Original> {
  const root = temporaryDir(t);
  const dataDir = join(root, "data");
  const library = await createLibrary({ dataDir, clock });
  t.after(() => library.close({}));
  const profileIds = await createProfiles(library, 3);
  await library.setVariables({ profileId: profileIds[0] ?? "", variables: { PASSWORD: secret } });
  await library.createDataset({
    name: "Accounts",
    mode: "fixed",
    columns: [{ name: "user" }, { name: "password", secret: true }],
    rows: Buffer.from(JSON.stringify([{ user: "ann", password: secret }])),
    rowsPerRun: null,
  });
  for (const id of profileIds) {
    const dir = join(dataDir, "profiles", id, "chromium");
    for (const folder of ["Default/Network", "Default/Cache", "ShaderCache"]) {
      mkdirSync(join(dir, folder), { recursive: true });
      writeFileSync(join(dir, folder, "file"), `${folder} of ${id}`);
    }
    writeFileSync(join(dir, "Default", "History"), Buffer.alloc(300_000, id));
    writeFileSync(join(dir, "Default", "empty"), "");
  }
  writeFileSync(join(dataDir, "uploads", "photo.png"), "a photo");
  return { root, dataDir, library, profileIds, file: join(root, "backup.tar.gz") };
}

async function restored(t: TestContext, { root, file }: Original, passphrase: string | null) {
  const dataDir = join(root, "restored");
  await restoreBackup(file, dataDir, passphrase);
  const library = await createLibrary({ dataDir, clock });
  t.after(() => library.close({}));
  return { dataDir, library };
}

test("a backup of an open library restores records, secrets, uploads, and profiles without their caches", async (t) => {
  const from = await original(t);
  const [first = "", , running = ""] = from.profileIds;
  const made = await from.library.backup({ file: from.file, passphrase: "open sesame", running: [running] });
  assert.deepEqual(made.leftOut, [running]);
  assert.deepEqual([...made.profiles].sort(), from.profileIds.slice(0, 2).sort());
  assert.equal(statSync(from.file).mode & 0o777, 0o600);
  assert.equal(made.bytes, statSync(from.file).size);
  await createProfiles(from.library, 1, "made later");

  const { dataDir, library } = await restored(t, from, "open sesame");
  assert.deepEqual(
    (await listProfiles(library)).map(({ id }) => id),
    from.profileIds,
  );
  const { spec } = await library.profileSpec({ profileId: first });
  assert.deepEqual(readFileSync(join(spec.userDataDir, "Default", "History")), Buffer.alloc(300_000, first));
  assert.equal(
    readFileSync(join(spec.userDataDir, "Default/Network/file"), "utf8"),
    `Default/Network of ${first}`,
  );
  assert.equal(statSync(join(spec.userDataDir, "Default", "empty")).size, 0);
  for (const left of ["Default/Cache", "ShaderCache"])
    assert.ok(!existsSync(join(spec.userDataDir, left)), left);
  assert.ok(!existsSync(join(dataDir, "profiles", running)));
  assert.equal(readFileSync(join(dataDir, "uploads", "photo.png"), "utf8"), "a photo");
  assert.deepEqual(readFileSync(join(dataDir, "vault.key")), readFileSync(join(from.dataDir, "vault.key")));
  assert.equal(await library.look(integrityOf), "ok");
  await createProfiles(library, 1, "it goes on");
});

test("a backup without a passphrase contains no secrets, and its restored library has a new key", async (t) => {
  const from = await original(t);
  const made = await from.library.backup({ file: from.file, passphrase: null, running: [] });
  assert.equal(made.secrets, false);
  const { dataDir, library } = await restored(t, from, null);
  assert.notDeepEqual(
    readFileSync(join(dataDir, "vault.key")),
    readFileSync(join(from.dataDir, "vault.key")),
  );
  const [profile] = await listProfiles(library);
  assert.deepEqual(profile?.variableNames, []);
  const [dataset] = await library.listDatasets({});
  assert.equal(dataset?.rows.total, 1);
  await library.setVariables({ profileId: profile?.id ?? "", variables: { PASSWORD: "new" } });
});

test("a wrong or missing passphrase, a damaged, truncated or foreign file, and a non-empty directory are refused without leaving files", async (t) => {
  const from = await original(t);
  await from.library.backup({ file: from.file, passphrase: "open sesame", running: [] });
  const dir = join(from.root, "new", "place");
  const nothing = () => assert.ok(!existsSync(join(from.root, "new")));
  await assert.rejects(restoreBackup(from.file, dir, "other"), {
    kind: "invalid",
    message: /the passphrase is not/,
  });
  nothing();
  await assert.rejects(restoreBackup(from.file, dir, null), {
    kind: "invalid",
    message: /give its passphrase/,
  });
  nothing();
  const bytes = readFileSync(from.file);
  const middle = Math.floor(bytes.length / 2);
  const spoilt = join(from.root, "spoilt");
  for (const [what, content] of [
    ["cut", bytes.subarray(0, middle)],
    ["changed", Buffer.from(bytes).fill(7, middle, middle + 8)],
    ["foreign", Buffer.from("no archive")],
  ] as const) {
    writeFileSync(spoilt, content);
    await assert.rejects(restoreBackup(spoilt, dir, "open sesame"), { kind: "invalid" }, what);
    nothing();
  }
  mkdirSync(join(from.root, "full"));
  writeFileSync(join(from.root, "full", "mine"), "");
  await assert.rejects(restoreBackup(from.file, join(from.root, "full"), "open sesame"), {
    kind: "conflict",
  });
  assert.deepEqual(readdirSync(join(from.root, "full")), ["mine"]);
});

test("a backup overwrites no file, cannot be in the data directory, and leaves no partial file", async (t) => {
  const from = await original(t);
  const backup = (file: string) => from.library.backup({ file, passphrase: null, running: [] });
  writeFileSync(from.file, "mine");
  await assert.rejects(backup(from.file), { kind: "conflict", message: /already exists/ });
  assert.equal(readFileSync(from.file, "utf8"), "mine");
  await assert.rejects(backup(join(from.dataDir, "uploads", "b")), {
    kind: "invalid",
    message: /inside the data directory/,
  });
  await assert.rejects(backup(join(from.root, "no", "b")), { kind: "internal", message: /ENOENT/ });
});

test("a copy of an open library's data directory opens", async (t) => {
  const from = await original(t);
  const copy = join(from.root, "copy");
  cpSync(from.dataDir, copy, { recursive: true });
  const library = await createLibrary({ dataDir: copy, clock });
  assert.equal((await listProfiles(library)).length, 3);
  await library.close({});
});

test("a profile includes sites' own files, whatever their names", () => {
  for (const path of [
    "Default/Cookies",
    "Default/Service Worker/CacheStorage/x",
    "Default/File System/000/Cache/1",
    "Local State",
  ])
    assert.ok(isProfileFile(path), path);
  for (const path of [
    "Default/Cache",
    "Default/Code Cache",
    "GrShaderCache",
    "SingletonLock",
    "Default/GPUCache/x",
    "BrowserMetrics-spare.pma",
  ])
    assert.ok(!isProfileFile(path), path);
});
