/** Restores a backup into an empty directory. Verifies checksums and leaves nothing behind on failure. */
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Fault } from "../protocol/faults.ts";
import { type ArchivedFile, hashed, type Manifest, readArchive } from "./archive.ts";
import { backupKind, backupVersion, openKey, sealedKeyName } from "./backup.ts";
import { makeDirWithParents } from "./data-dir.ts";
import { keyName } from "./vault.ts";

/** Allowed paths in a backup: refuses others, so that nothing is written outside the directory. Names may have line breaks. */
const mayHold =
  /^(library\.sqlite|library\.journal-1|vault\.key\.sealed|(uploads|profiles\/[0-9a-f-]{36}\/chromium)\/.+)$/s;

export interface Restored {
  undo(): Promise<void>;
}

/** Throws `conflict` (the directory is not empty) or `invalid` (no backup, damaged, a later release's, passphrase missing or wrong). */
export async function restoreBackup(file: string, dir: string, passphrase: string | null): Promise<Restored> {
  const made = makeDirWithParents(dir);
  if ((await readdir(dir)).length > 0) {
    throw new Fault("conflict", `${dir} is not empty; name an empty directory, or one that does not exist`);
  }
  const undo = async () => {
    for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true });
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  };
  try {
    const written: string[] = [];
    const manifest = await readArchive(file, (path, chunks) => {
      written.push(path);
      return writeEntry(dir, path, chunks);
    });
    checkKind(file, manifest);
    const counted = new Set(manifest.files.map(({ path }) => path));
    for (const path of written) if (!counted.has(path)) await rm(join(dir, path), { force: true });
    await placeKey(dir, counted.has(sealedKeyName), passphrase);
    return { undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

async function writeEntry(
  dir: string,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<ArchivedFile> {
  if (!mayHold.test(path) || path.split("/").some((name) => name === "" || name === "." || name === "..")) {
    throw new Fault(
      "invalid",
      `the archive holds ${JSON.stringify(path)}, which does not belong in a backup`,
    );
  }
  await mkdir(dirname(join(dir, path)), { recursive: true, mode: 0o700 });
  let file: ArchivedFile | null = null;
  const counted = hashed(path, chunks, (told) => {
    file = told;
  });
  await pipeline(counted, createWriteStream(join(dir, path), { flags: "wx", mode: 0o600, flush: true }));
  if (file === null) throw new Error(`${path} was not read to its end`);
  return file;
}

function checkKind(file: string, { kind, version }: Manifest): void {
  if (kind !== backupKind) throw new Fault("invalid", `${file} is not a backup, but ${kind}`);
  if (version > backupVersion) {
    throw new Fault("invalid", `${file} was written by a later release; restore it with that one`);
  }
}

async function placeKey(dir: string, isSealed: boolean, passphrase: string | null): Promise<void> {
  const sealed = join(dir, sealedKeyName);
  if (isSealed && passphrase === null) {
    throw new Fault("invalid", "the backup's key is sealed; give its passphrase, as with --passphrase-file");
  }
  const key = isSealed ? await openKey(await readFile(sealed), passphrase ?? "") : randomBytes(32);
  await writeFile(join(dir, keyName), key, { mode: 0o600, flush: true });
  await rm(sealed, { force: true });
}
