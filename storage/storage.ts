/** Opens storage in order: directory, lock, key, database. Closes in reverse order. */
import { join } from "node:path";
import { systemFault } from "../protocol/disk-fault.ts";
import { limits } from "../protocol/limits.ts";
import { type DataDir, dataDirAt } from "./data-dir.ts";
import { type Disk, nodeDisk } from "./disk.ts";
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
  /** Takes a snapshot if there are changes, and unlocks the directory. */
  close(): Promise<void>;
}

export interface StorageOptions {
  dataDir: string;
  disk?: Disk;
  journalBytesMin?: number;
  now?(): number;
  /** Called after memory was restored from disk because of a disk error. */
  renewed?(sql: Reader): void;
  warn(message: string): void;
}

const keyIdSetting = "vault.keyId";

/**
 * Throws `conflict` (locked, `{code: "data-dir-locked", pid}`), `internal` (damage, later release, missing or wrong key, disk error),
 * `invalid` (shared directory), each with a `detail.code`.
 */
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
    throw systemFault(error, dir);
  }
}

function claimed(disk: Disk, dataDir: DataDir): Lock {
  try {
    return disk.claim(dataDir);
  } catch (error) {
    throw systemFault(error, dataDir.root);
  }
}

/** Detect a wrong key now, because otherwise the first use of a secret would fail much later. */
async function checkKey(database: LastingDatabase, vault: Vault, file: string): Promise<void> {
  const known = await database.read((sql) => readSetting<string | null>(sql, keyIdSetting, null));
  if (known === null) {
    await database.write((sql) => storeSetting(sql, keyIdSetting, vault.keyId));
  } else if (known !== vault.keyId) {
    await database.close();
    throw keyFault(`${file} is not the key that this data was sealed with; restore that key`);
  }
}
