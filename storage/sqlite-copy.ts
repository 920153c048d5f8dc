/** A copy of a whole SQLite database, taken in slices while it goes on being changed: SQLite's own online backup, into memory. */
import type { Database, SqlJsStatic } from "sql.js";
import { emptyDatabase, openHeldBy } from "./growing-file.ts";

/** A copy under way. Changes of the database are carried over to it; it must not be changed by a transaction that is open. */
export interface Copy {
  /** So little is left that `finish` copies it in one slice. */
  readonly ready: boolean;
  /** Copies one slice more. */
  step(): void;
  /** Copies what is left and answers the bytes of an ordinary SQLite file: the database as it is now. */
  finish(): Uint8Array;
  /** Lets go of it without an answer; nothing happens after `finish`. */
  abandon(): void;
}

/** Pages of 4 KiB in one slice: 2 to 4 ms. */
export const slicePagesDefault = 500;
const pageBytes = 4096;
/** Room for what the database grows by while it is copied; memory that is never touched costs nothing. */
const spareShare = 0.5;
const spareBytes = 4 * 1024 * 1024;

const ok = 0;
const done = 101;

/** What sql.js gives beside its own classes, and its types leave out. */
interface BackupCalls {
  _sqlite3_backup_init(to: number, toName: number, from: number, fromName: number): number;
  _sqlite3_backup_step(backup: number, pages: number): number;
  _sqlite3_backup_finish(backup: number): number;
  stringToNewUTF8(text: string): number;
  _free(pointer: number): void;
}

/** A pointer into SQLite. */
interface Handle {
  db: number;
}

/** Begins a copy of `source`. Throws when SQLite refuses. */
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
      // The last slice belongs to `finish`: a backup that is complete takes no more changes over.
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
      // What outgrew its room, or was complete before the last change, is copied again in one piece.
      const whole = complete && !endedEarly && length <= bytes.length;
      return whole ? bytes.subarray(0, length) : source.export();
    },
    abandon: close,
  };
}

/** A database whose file is an array that we hold, of `capacity` bytes. Its `export` would copy everything in one go. */
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
