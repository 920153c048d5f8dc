/** A restore writes only what the archive's manifest lists, at most at the length that it says. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ArchivedFile, type ArchiveWriter, writeArchive } from "../../storage/archive.ts";
import { type BackupManifest, backupKind, backupVersion } from "../../storage/backup.ts";
import { restoreBackup } from "../../storage/restore.ts";
import { temporaryDir } from "./open.ts";

const id = "11111111-1111-4111-8111-111111111111";

async function archiveOf(
  t: TestContext,
  fill: (archive: ArchiveWriter) => Promise<{ files: ArchivedFile[]; leftOut?: string[] }>,
) {
  const root = temporaryDir(t);
  const file = join(root, "backup.tar.gz");
  const rest = { profiles: [], leftOut: [], leftOutFiles: [], secrets: false };
  const head = { kind: backupKind, version: backupVersion, createdAt: new Date(0).toISOString() };
  await writeArchive(file, async (archive): Promise<BackupManifest> => {
    return { ...head, ...rest, ...(await fill(archive)) };
  });
  const dir = join(root, "new", "place");
  return { root, dir, restore: () => restoreBackup(file, dir, null) };
}

/** Packs to a thousandth. */
const zeros = Buffer.alloc(4 * 1024 ** 2);
const good = (archive: ArchiveWriter) => archive.addBytes("uploads/good", Buffer.from("good"));

async function isRefused(t: TestContext, fill: Parameters<typeof archiveOf>[1], message: RegExp) {
  const { root, restore } = await archiveOf(t, fill);
  await assert.rejects(restore(), { kind: "invalid", message });
  assert.ok(!existsSync(join(root, "new")));
}

test("a file that the manifest does not list is refused, and nothing is left", async (t) => {
  await isRefused(
    t,
    async (archive) => {
      const listed = await good(archive);
      await archive.addBytes("uploads/bomb", zeros);
      return { files: [listed] };
    },
    /holds "uploads\/bomb", which its manifest does not list/,
  );
});

test("a file that is longer or shorter than the manifest says is refused, and nothing is left", async (t) => {
  for (const bytes of [4, zeros.length + 1]) {
    await isRefused(
      t,
      async (archive) => ({
        files: [await good(archive), { ...(await archive.addBytes("uploads/bomb", zeros)), bytes }],
      }),
      /uploads\/bomb in .+ is damaged: it has 4194304 bytes, and the manifest says \d+/,
    );
  }
});

test("a file that comes twice is refused, and nothing is left", async (t) => {
  await isRefused(
    t,
    async (archive) => ({ files: [await good(archive), await good(archive)] }),
    /holds "uploads\/good" twice/,
  );
});

test("a name that is too long for the disk is refused, and nothing is left", async (t) => {
  await isRefused(
    t,
    async (archive) => {
      const long = await archive.addBytes(`uploads/${"x".repeat(300)}`, Buffer.from("x"));
      const deep = await archive.addBytes(`uploads/${"y".repeat(300)}/file`, Buffer.from("y"));
      return { files: [await good(archive), long, deep] };
    },
    /^the archive holds "uploads\/x{192}…", a name that is too long for this disk$/,
  );
});

test("a file that another file's path needs as a directory is refused, and nothing is left", async (t) => {
  for (const paths of [
    ["uploads/a", "uploads/a/b"],
    ["uploads/a/b", "uploads/a"],
  ]) {
    await isRefused(
      t,
      async (archive) => {
        const files: ArchivedFile[] = [];
        for (const path of paths) files.push(await archive.addBytes(path, Buffer.from("a")));
        return { files };
      },
      /^the archive holds "uploads\/a[^"]*", whose path another of its files takes$/,
    );
  }
});

test("a manifest with other values than ours is refused", async (t) => {
  for (const text of ["[null]", '["uploads/good"]', '[{"path":"uploads/good"}]', '[{"path":1}]', "{}"]) {
    const files: ArchivedFile[] = JSON.parse(text);
    await isRefused(t, async () => ({ files }), /its manifest is not from Troupe/);
  }
});

test("a profile that was launched while it was read is in the archive, but not restored", async (t) => {
  const { dir, restore } = await archiveOf(t, async (archive) => {
    const listed = await good(archive);
    await archive.addBytes(`profiles/${id}/chromium/Default/Cookies`, zeros);
    return { files: [listed], leftOut: [id] };
  });
  await restore();
  assert.equal(readFileSync(join(dir, "uploads", "good"), "utf8"), "good");
  assert.ok(!existsSync(join(dir, "profiles")));
});
