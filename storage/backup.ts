/** Backups: the library at one moment, its key sealed with a passphrase, uploads, and the directories of stopped profiles. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { Fault } from "../protocol/faults.ts";
import type { LeftOutFile } from "../protocol/messages/backups.ts";
import { type ArchiveWriter, type Manifest, writeArchive } from "./archive.ts";
import { addTree, listed, nameOf } from "./backup-tree.ts";
import { crc32c } from "./crc32c.ts";
import type { DataDir } from "./data-dir.ts";
import { journalName } from "./journal.ts";
import { encodeHeader } from "./journal-records.ts";
import { isProfileFile } from "./profile-files.ts";
import { exportMarked, snapshotName } from "./snapshot.ts";
import { openSqlite } from "./sqlite.ts";
import type { Storage } from "./storage.ts";
import { keyName } from "./vault.ts";

export const backupKind = "troupe-backup";
export const backupVersion = 1;
export const sealedKeyName = "vault.key.sealed";
/** Name of a profile's directory. */
const profileDirName = /^[0-9a-f-]{36}$/;

export interface BackupManifest extends Manifest {
  profiles: string[];
  leftOut: string[];
  leftOutFiles: LeftOutFile[];
  /** True if the backup contains the key and thus readable secrets. */
  secrets: boolean;
}

export interface BackupOptions {
  file: string;
  passphrase: string | null;
  running: readonly string[];
  /** Runs `work` while nothing else reads or replaces the files of the profile. */
  inTurn<T>(profileId: string, work: () => Promise<T>): Promise<T>;
  createdAt: string;
}

const firstMark = { generation: 1, sequence: 0 };

/** Throws `conflict` (the file exists), `invalid` (it is inside the data directory), `internal` (disk error). */
export async function writeBackup(
  { dataDir, database, disk }: Pick<Storage, "dataDir" | "database" | "disk">,
  { file, passphrase, running, createdAt, inTurn }: BackupOptions,
): Promise<BackupManifest> {
  const inside = relative(dataDir.root, resolve(file));
  if (inside === "" || !(inside.startsWith("..") || resolve(inside) === inside)) {
    throw new Fault("invalid", `${file} is inside the data directory; name a file outside it`);
  }
  const copy = await database.copy(firstMark);
  const snapshot = passphrase === null ? await withoutSecrets(copy) : copy;
  const manifest: BackupManifest = {
    kind: backupKind,
    version: backupVersion,
    createdAt,
    files: [],
    profiles: [],
    leftOut: [],
    leftOutFiles: [],
    secrets: passphrase !== null,
  };
  await writeArchive(file, async (archive) => {
    const { files } = manifest;
    files.push(await archive.addBytes(snapshotName, snapshot));
    files.push(await archive.addBytes(journalName(firstMark.generation), headerOf(snapshot)));
    if (passphrase !== null) {
      const key = disk.read(join(dataDir.root, keyName)) ?? new Uint8Array();
      files.push(await archive.addBytes(sealedKeyName, await sealKey(key, passphrase)));
    }
    const uploads = await addTree(archive, { as: "uploads", dir: dataDir.uploads, wanted: () => true });
    files.push(...uploads.files);
    manifest.leftOutFiles.push(...uploads.leftOut);
    await addProfiles(archive, manifest, dataDir, { running: new Set(running), inTurn });
    return manifest;
  });
  return manifest;
}

function headerOf(snapshot: Uint8Array): Uint8Array {
  const { generation, sequence } = firstMark;
  const told = { snapshotBytes: snapshot.length, snapshotCrc: crc32c(snapshot) };
  return encodeHeader({ generation, firstSequence: sequence + 1, ...told });
}

/** Also leaves out a profile that is launched while it is read. */
async function addProfiles(
  archive: ArchiveWriter,
  manifest: BackupManifest,
  dataDir: DataDir,
  { running, inTurn }: Pick<BackupOptions, "inTurn"> & { running: ReadonlySet<string> },
): Promise<void> {
  for (const entry of await listed(dataDir.profiles)) {
    const id = nameOf(entry);
    if (!profileDirName.test(id)) {
      manifest.leftOutFiles.push({ path: `profiles/${id}`, reason: "not-a-profile" });
      continue;
    }
    const dir = dataDir.userData(id);
    const lock = () =>
      lstat(join(dir, "SingletonLock")).then(
        ({ ino }) => ino,
        () => null,
      );
    const before = await lock();
    const added = running.has(id)
      ? null
      : await inTurn(id, () =>
          addTree(archive, { as: `profiles/${id}/chromium`, dir, wanted: isProfileFile }),
        ).catch(async (error: unknown) => {
          if ((await lock()) === before) throw error;
          return null;
        });
    if (added === null || (await lock()) !== before) {
      manifest.leftOut.push(id);
      continue;
    }
    manifest.profiles.push(id);
    manifest.files.push(...added.files);
    manifest.leftOutFiles.push(...added.leftOut);
  }
}

/** Removes all sealed values, so that the restored library can start with a new key. */
async function withoutSecrets(snapshot: Uint8Array): Promise<Uint8Array> {
  const sqlite = await openSqlite(snapshot);
  try {
    sqlite.script(`
      DELETE FROM variables;
      DELETE FROM webhooks;
      UPDATE runs SET variables_sealed = NULL;
      UPDATE proxies SET credentials_sealed = NULL;
      UPDATE dataset_rows SET data = json_set(data, '$[#-1]', '') WHERE dataset IN (
        SELECT position FROM datasets
        WHERE EXISTS (SELECT 1 FROM json_each(datasets.columns) WHERE json_extract(value, '$.secret'))
      );
      DELETE FROM settings WHERE name = 'vault.keyId';
      VACUUM`);
    return exportMarked(sqlite, firstMark);
  } finally {
    sqlite.close();
  }
}

const cipher = "aes-256-gcm";
/** Makes each guess of a passphrase cost 64 MiB of memory and some tenths of a second. */
const cost = { N: 2 ** 16, r: 8, p: 1 };

interface SealedKey {
  kdf: "scrypt";
  N: number;
  r: number;
  p: number;
  salt: string;
  nonce: string;
  tag: string;
  key: string;
}

function wrappingKey(passphrase: string, salt: Uint8Array, { N, r, p }: typeof cost): Promise<Buffer> {
  return new Promise((done, failed) => {
    scrypt(passphrase.normalize("NFKC"), salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? done(key) : failed(error),
    );
  });
}

async function sealKey(key: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const sealing = createCipheriv(cipher, await wrappingKey(passphrase, salt, cost), nonce);
  const sealed = Buffer.concat([sealing.update(key), sealing.final()]);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const said: SealedKey = {
    kdf: "scrypt",
    ...cost,
    salt: text(salt),
    nonce: text(nonce),
    tag: text(sealing.getAuthTag()),
    key: text(sealed),
  };
  return Buffer.from(JSON.stringify(said));
}

/** Throws `invalid` for a wrong passphrase. */
export async function openKey(sealed: Uint8Array, passphrase: string): Promise<Uint8Array> {
  try {
    const said: SealedKey = JSON.parse(Buffer.from(sealed).toString("utf8")); // The archive's checksum covers it.
    const bytes = (text: string) => Buffer.from(text, "base64");
    if (said.N > cost.N || said.r > cost.r || said.p > cost.p) throw new Error("it would cost too much");
    const wrapping = await wrappingKey(passphrase, bytes(said.salt), said);
    const opening = createDecipheriv(cipher, wrapping, bytes(said.nonce)).setAuthTag(bytes(said.tag));
    return Buffer.concat([opening.update(bytes(said.key)), opening.final()]);
  } catch {
    throw new Fault("invalid", "the passphrase is not the one that sealed the backup's key");
  }
}
