/** Snapshots: the whole database as an ordinary SQLite file, replaced atomically and bound to the journals after it. */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "./disk.ts";
import { journalGeneration } from "./journal.ts";
import type { Sqlite } from "./sqlite.ts";
import type { Copy } from "./sqlite-copy.ts";

export const snapshotName = "library.sqlite";

/** Identifies the journals after a snapshot: this generation and later, starting after this sequence. */
export interface SnapshotMark {
  generation: number;
  sequence: number;
}

/** Stored in the database but not in the journal, because it describes the file. */
function noteMark(sqlite: Sqlite, mark: SnapshotMark): void {
  sqlite.script(
    `CREATE TABLE IF NOT EXISTS snapshot_mark (generation INTEGER NOT NULL, sequence INTEGER NOT NULL) STRICT;
     DELETE FROM snapshot_mark;
     INSERT INTO snapshot_mark VALUES (${mark.generation}, ${mark.sequence})`,
  );
}

export function exportMarked(sqlite: Sqlite, mark: SnapshotMark): Uint8Array {
  noteMark(sqlite, mark);
  return sqlite.export();
}

export function finishMarked(sqlite: Sqlite, copy: Copy, mark: SnapshotMark): Uint8Array {
  noteMark(sqlite, mark);
  return copy.finish();
}

/** Null if the file is no snapshot of ours. */
export function markOf(sqlite: Sqlite): SnapshotMark | null {
  if (sqlite.first("SELECT 1 FROM sqlite_schema WHERE name = 'snapshot_mark'") === undefined) return null;
  const row = sqlite.first("SELECT generation, sequence FROM snapshot_mark");
  if (typeof row?.generation !== "number" || typeof row.sequence !== "number") return null;
  return { generation: row.generation, sequence: row.sequence };
}

/** Temporary file, sync, rename, directory sync: the name always refers to a complete old or new file. */
export async function writeWhole(disk: Disk, dir: string, name: string, bytes: Uint8Array): Promise<void> {
  await writeUnnamed(disk, dir, name, bytes);
  await takeName(disk, dir, name);
}

/** Bytes written before other work gets a turn. */
const sliceBytes = 4 * 1024 * 1024;

/** Writes a file under a temporary name, with a sync per slice. Returns its CRC-32. `takeName` renames it. */
export async function writeUnnamed(
  disk: Disk,
  dir: string,
  name: string,
  bytes: Uint8Array,
): Promise<number> {
  const path = join(dir, `${name}.new`);
  const file = disk.create(path);
  let crc = 0;
  try {
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      const slice = bytes.subarray(at, at + sliceBytes);
      crc = crc32(slice, crc);
      file.write(slice, at);
      await file.datasync();
    }
  } catch (error) {
    file.close();
    disk.remove(path); // Free the space, because the disk may be full.
    throw error;
  }
  file.close();
  return crc;
}

export async function takeName(disk: Disk, dir: string, name: string): Promise<void> {
  disk.rename(join(dir, `${name}.new`), join(dir, name));
  await disk.syncDir(dir);
}

export function removeSuperseded(disk: Disk, dir: string, generation: number, names: string[]): void {
  for (const name of names) {
    const journal = journalGeneration(name);
    const unfinished = /^(library\.|before-schema-|vault\.key).*\.new$/s.test(name);
    if (unfinished || (journal !== null && journal < generation)) disk.remove(join(dir, name));
  }
}
