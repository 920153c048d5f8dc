/** A file in sql.js's memory file system that grows in place. sql.js's own copies the whole file at each growth by an eighth. */
import type { Database, SqlJsStatic } from "sql.js";

/** Reserved address space, up to sql.js's maximum; memory is only used when written. */
const fileBytesMax = 2 ** 32 - 2 ** 16;
export const growthBytes = 8 * 1024 * 1024;

export interface FileArray {
  readonly length: number;
  subarray(from: number, to: number): Uint8Array;
  set(bytes: Uint8Array, at: number): void;
}

/** Starts with `bytes`, copied once when the file first grows. Reports the maximum length, so that sql.js never grows it. */
export function growingFile(bytes: Uint8Array): FileArray {
  let memory: ArrayBuffer | null = null;
  let held = bytes;
  const makeRoom = (needed: number) => {
    const size = Math.min(Math.ceil(needed / growthBytes) * growthBytes, fileBytesMax);
    if (memory === null) {
      memory = new ArrayBuffer(size, { maxByteLength: fileBytesMax });
      const begun = held;
      held = new Uint8Array(memory);
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

export function emptyDatabase(sqlJs: SqlJsStatic): Uint8Array {
  const template = new sqlJs.Database();
  template.exec("PRAGMA user_version = 1; PRAGMA user_version = 0");
  const bytes = template.export();
  template.close();
  return bytes;
}

/** Opens a database that keeps its file in `file`. Relies on sql.js storing a `slice` of the first write; a test verifies that. */
export function openHeldBy(sqlJs: SqlJsStatic, bytes: Uint8Array, file: FileArray): Database {
  let taken = false;
  const given = Object.assign(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), {
    slice() {
      taken = true;
      return file;
    },
  });
  // FileArray has everything that the file system uses.
  const database = new sqlJs.Database(given as unknown as Uint8Array);
  if (!taken) throw new Error("this version of sql.js stores its files in an unsupported way");
  return database;
}
