/** Copies a SQLite database in slices while it changes, with SQLite's online backup into memory. */
import type { Database, SqlJsStatic } from "sql.js";
import { emptyDatabase, openHeldBy } from "./growing-file.ts";

/** Includes later changes of the source. Do not use while a transaction is open. */
export interface Copy {
  readonly ready: boolean;
  step(): void;
  /** Copies the rest and returns the current database as an ordinary SQLite file. */
  finish(): Uint8Array;
  abandon(): void;
}

export const slicePagesDefault = 500;
const pageBytes = 4096;
/** Space for growth of the source during the copy. Untouched memory costs nothing. */
const spareShare = 0.5;
const spareBytes = 4 * 1024 * 1024;

const ok = 0;
const done = 101;

interface BackupCalls {
  _sqlite3_backup_init(to: number, toName: number, from: number, fromName: number): number;
  _sqlite3_backup_step(backup: number, pages: number): number;
  _sqlite3_backup_finish(backup: number): number;
  stringToNewUTF8(text: string): number;
  _free(pointer: number): void;
}

interface Handle {
  db: number;
}

/** Throws if SQLite refuses. */
export function beginCopy(sqlJs: SqlJsStatic, source: Database, slicePages: number): Copy {
  const calls = sqlJs as unknown as BackupCalls;
  const pageCount = () => Number(source.exec("PRAGMA page_count")[0]?.values[0]?.[0]);
  const { target, bytes } = openTarget(
    sqlJs,
    Math.ceil(pageCount() * pageBytes * (1 + spareShare)) + spareBytes,
  );
  const main = calls.stringToNewUTF8("main");
  const [to, from] = [target as unknown as Handle, source as unknown as Handle];
  let backup = calls._sqlite3_backup_init(to.db, main, from.db, main);
  calls._free(main);
  let copied = 0;
  let endedEarly = false;

  const close = () => {
    if (backup === 0) return;
    calls._sqlite3_backup_finish(backup);
    backup = 0;
    target.close();
  };
  const copy = (pages: number) => {
    const code = calls._sqlite3_backup_step(backup, pages);
    if (code === ok || code === done) return code === done;
    close();
    throw new Error(`SQLite's backup answered ${code}`);
  };
  if (backup === 0) {
    target.close();
    throw new Error("SQLite refused to begin a backup");
  }
  return {
    get ready() {
      // Leave the last slice to `finish`, because a complete backup no longer follows changes.
      return endedEarly || copied + slicePages >= pageCount();
    },
    step() {
      endedEarly = copy(slicePages);
      copied += slicePages;
    },
    finish() {
      const complete = endedEarly || copy(-1);
      const length = pageCount() * pageBytes;
      close();
      // Export everything at once if the source outgrew the space, or changed after the backup was complete.
      const whole = complete && !endedEarly && length <= bytes.length;
      return whole ? bytes.subarray(0, length) : source.export();
    },
    abandon: close,
  };
}

/** A database with its file in an array of `capacity` bytes. Avoids `export`, which would copy everything at once. */
function openTarget(sqlJs: SqlJsStatic, capacity: number): { target: Database; bytes: Uint8Array } {
  const seed = emptyDatabase(sqlJs);
  const bytes = new Uint8Array(capacity);
  bytes.set(seed);
  const target = openHeldBy(sqlJs, seed, bytes);
  target.exec(
    "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -512",
  );
  return { target, bytes };
}
