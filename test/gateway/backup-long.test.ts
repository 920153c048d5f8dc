/** `troupe backup` and `troupe restore`, with and without a running service. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { BackupReply } from "../../protocol/messages/backups.ts";
import type { Profile } from "../../protocol/records.ts";
import { command, reply } from "./in-process.ts";
import { startTestService, type TestService } from "./running.ts";

let running: TestService;
let folder: string;
before(async () => {
  running = await startTestService();
  folder = mkdtempSync(join(tmpdir(), "troupe-backup-"));
  writeFileSync(join(folder, "passphrase"), "open sesame\n");
});
after(async () => {
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

const passphrase = () => ["--passphrase-file", join(folder, "passphrase")];

test("a backup of a running service can be restored, and the restored library backed up and restored again", async () => {
  const { dataDir } = running;
  await reply("profiles", "create", "--count", "2", "--name-template", "Kept {n}", "--data", dataDir);
  const [first, second] = [join(folder, "first.tar.gz"), join(folder, "second.tar.gz")];
  const made = await reply<BackupReply>("backup", first, ...passphrase(), "--data", dataDir);
  assert.ok(made.secrets && made.bytes > 0);
  assert.deepEqual(made.leftOut, []);

  const place = join(folder, "place");
  await reply("restore", first, ...passphrase(), "--data", place);
  await reply<BackupReply>("backup", second, "--data", place);
  const again = join(folder, "again");
  await reply("restore", second, "--data", again);
  const settings = await reply<object>("settings", "--data", again);
  assert.deepEqual(settings, await reply<object>("settings", "--data", dataDir));
  const profiles = await reply<Profile[]>("profiles", "list", "--data", dataDir);
  assert.equal(profiles.length, 2);
});

test("a backup says which files it leaves out and why", async () => {
  const { dataDir } = running;
  const uploads = join(dataDir, "uploads");
  const links = Array.from({ length: 25 }, (_, at) => join(uploads, `link ${String(at).padStart(2, "0")}\n`));
  for (const link of links) symlinkSync("/etc/hostname", link);
  try {
    const said = await command("backup", join(folder, "partly.tar.gz"), "--data", dataDir);
    assert.equal(said.code, 0, said.stderr);
    const lines = said.stdout.split("\n").filter((line) => /^Left out: /.test(line));
    assert.equal(lines.length, 20);
    for (const line of lines) assert.match(line, /^Left out: uploads\/link \d\d {1,2}\(a symbolic link\)$/);
    assert.match(said.stdout, /\n5 more files are left out; --json lists all\n/);
    const made = await reply<BackupReply>("backup", join(folder, "listed.tar.gz"), "--data", dataDir);
    assert.equal(made.leftOutFiles.length, 25);
  } finally {
    for (const link of links) rmSync(link);
  }
});

test("a wrong passphrase and a directory in use are refused with an error, and no file is written", async () => {
  const file = join(folder, "sealed.tar.gz");
  await reply("backup", file, ...passphrase(), "--data", running.dataDir);
  writeFileSync(join(folder, "other"), "guess");
  const place = join(folder, "nowhere");
  const wrong = await command("restore", file, "--passphrase-file", join(folder, "other"), "--data", place);
  assert.equal(wrong.code, 2, wrong.stderr);
  assert.match(wrong.stderr, /^troupe: invalid request: the passphrase is not the one/);
  assert.ok(!existsSync(place));
  const inUse = await command("restore", file, ...passphrase(), "--data", running.dataDir);
  assert.equal(inUse.code, 1, inUse.stderr);
  assert.match(
    inUse.stderr,
    /^troupe: conflict: .+ is not empty; name an empty directory, or one that does not exist/,
  );
});
