/** A file of sql.js's pretended disk that grows in place. sql.js's own is copied as a whole each time it has grown by an eighth. */
import type { Database, SqlJsStatic } from "sql.js";

/** Address space that is set aside for a file, and the most that sql.js can count to; memory is taken as it is written. */
const fileBytesMax = 2 ** 32 - 2 ** 16;
/** Memory that a file grows by at a time; what is never touched costs nothing. */
export const growthBytes = 8 * 1024 * 1024;

/** What sql.js's pretended disk asks of the array that holds a file. */
export interface FileArray {
  readonly length: number;
  subarray(from: number, to: number): Uint8Array;
  set(bytes: Uint8Array, at: number): void;
}

/**
 * Begins as `bytes` themselves. What grows beyond them is copied once, into memory that is lengthened from then on. It says
 * that it is as long as a file can become, so that sql.js never makes it longer in its own way.
 */
export function growingFile(bytes: Uint8Array): FileArray {
  let memory: ArrayBuffer | null = null;
  let held = bytes;
  const makeRoom = (needed: number) => {
    const size = Math.min(Math.ceil(needed / growthBytes) * growthBytes, fileBytesMax);
    if (memory === null) {
      memory = new ArrayBuffer(size, { maxByteLength: fileBytesMax });
      const begun = held;
      held = new Uint8Array(memory); // Its length is the memory's, also after it was lengthened.
      held.set(begun);
    } else {
      memory.resize(size);
    }
  };
  return {
    length: fileBytesMax,
    subarray: (from, to) => held.subarray(from, to),
    set(source, at) {
      if (at + source.length > held.length) makeRoom(at + source.length);
      held.set(source, at);
    },
  };
}

/** The bytes of an empty database: a file of one page, which SQLite itself would write later. */
export function emptyDatabase(sqlJs: SqlJsStatic): Uint8Array {
  const template = new sqlJs.Database();
  template.exec("PRAGMA user_version = 1; PRAGMA user_version = 0");
  const bytes = template.export();
  template.close();
  return bytes;
}

/**
 * Opens a database from the bytes of its file, which from then on are held by `file`. sql.js's pretended disk keeps the
 * first write to a file as `slice` of what was written and writes into that until it is too small; a test holds it to that.
 */
export function openHeldBy(sqlJs: SqlJsStatic, bytes: Uint8Array, file: FileArray): Database {
  let taken = false;
  const given = Object.assign(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), {
    slice() {
      taken = true;
      return file;
    },
  });
  // It has what the disk asks of an array, as FileArray says.
  const database = new sqlJs.Database(given as unknown as Uint8Array);
  if (!taken) throw new Error("sql.js keeps its files in another way than this service relies on");
  return database;
}
