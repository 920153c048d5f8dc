/** Restores a backup into an empty directory. Verifies checksums and leaves nothing behind on failure. */
import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemFault } from "../protocol/disk-fault.ts";
import { Fault } from "../protocol/faults.ts";
import { type Manifest, readFiles, readManifest } from "./archive.ts";
import { backupKind, backupVersion, openKey, sealedKeyName } from "./backup.ts";
import { makeDirWithParents } from "./data-dir.ts";
import { writeEntry } from "./unpack.ts";
import { keyName } from "./vault.ts";

/** Names may have line breaks. */
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
    const manifest = await readManifest(file);
    checkKind(file, manifest);
    const isSealed = manifest.files.some(({ path }) => path === sealedKeyName);
    await readFiles(file, manifest, {
      skips: belongsToLeftOut(manifest),
      take: (path, chunks) => writeEntry(dir, { path, chunks }, mayHold),
    });
    await placeKey(dir, isSealed, passphrase);
    return { undo };
  } catch (error) {
    await undo();
    const isOfArchive = error instanceof Error && "path" in error && error.path === file;
    throw isOfArchive ? error : systemFault(error, dir);
  }
}

/** The archive may have files of a profile that was left out because it was launched while it was read. */
function belongsToLeftOut(manifest: Manifest & { leftOut?: unknown }): (path: string) => boolean {
  const leftOut: readonly unknown[] = Array.isArray(manifest.leftOut) ? manifest.leftOut : [];
  const ids = new Set(leftOut);
  return (path) => {
    const [room, id] = path.split("/");
    return room === "profiles" && ids.has(id);
  };
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
