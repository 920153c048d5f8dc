/** Opening all of storage in order: directory, lock, key, database; and closing it in the opposite one. */
import { join } from "node:path";
import { limits } from "../protocol/limits.ts";
import { type DataDir, dataDirAt } from "./data-dir.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { diskFault, isSystemError } from "./disk-fault.ts";
import { type LastingDatabase, openLastingDatabase } from "./lasting-database.ts";
import type { Lock } from "./lock.ts";
import { migrations } from "./schema.ts";
import { snapshotName } from "./snapshot.ts";
import type { Reader } from "./sqlite.ts";
import { readSetting, storeSetting } from "./tables/settings.ts";
import { keyFault, keyName, openVault, type Vault } from "./vault.ts";

export interface Storage {
  disk: Disk;
  dataDir: DataDir;
  database: LastingDatabase;
  vault: Vault;
  /** Takes a snapshot when there is something new, and releases the directory. */
  close(): Promise<void>;
}

export interface StorageOptions {
  dataDir: string;
  disk?: Disk;
  /** Smallest journal that a snapshot is taken for. */
  journalBytesMin?: number;
  /** Milliseconds of any clock; default: the system's. */
  now?(): number;
  /** Memory holds what is on disk again, after the disk has refused something. */
  renewed?(sql: Reader): void;
  warn(message: string): void;
}

const keyIdSetting = "vault.keyId";

/** Throws `conflict` (locked, `{code: "data-dir-locked", pid}`), `internal` (damage, a later release's, a missing or foreign key, a disk that refuses), `invalid` (a shared directory), each with a `detail.code`. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { disk = nodeDisk, journalBytesMin = limits.journalBytesMin, warn } = options;
  const { now = Date.now, renewed = () => {} } = options;
  const dataDir = dataDirAt(options.dataDir);
  const dir = dataDir.root;
  const lock = claimed(disk, dataDir);
  try {
    const vault = await openVault(disk, dir, !disk.list(dir).includes(snapshotName));
    const database = await openLastingDatabase({
      disk,
      dir,
      migrations,
      journalBytesMin,
      warn,
      now,
      renewed,
    });
    await checkKey(database, vault, join(dir, keyName));
    return {
      disk,
      dataDir,
      database,
      vault,
      async close() {
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw inWords(error, dir);
  }
}

function claimed(disk: Disk, dataDir: DataDir): Lock {
  try {
    return disk.claim(dataDir);
  } catch (error) {
    throw inWords(error, dataDir.root);
  }
}

/** Of the system's errors: the path that it names, or the directory. */
function inWords(error: unknown, dir: string): unknown {
  if (!isSystemError(error)) return error;
  const path: unknown = Reflect.get(Object(error), "path");
  return diskFault(error, typeof path === "string" ? path : dir);
}

/** A key that is not the one of this data would fail at the first secret, hours later: better now. */
async function checkKey(database: LastingDatabase, vault: Vault, file: string): Promise<void> {
  const known = await database.read((sql) => readSetting<string | null>(sql, keyIdSetting, null));
  if (known === null) {
    await database.write((sql) => storeSetting(sql, keyIdSetting, vault.keyId));
  } else if (known !== vault.keyId) {
    await database.close();
    throw keyFault(`${file} is not the key that this data was sealed with; bring that one back`);
  }
}
