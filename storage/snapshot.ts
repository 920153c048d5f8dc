/** Snapshots: the whole database as one ordinary SQLite file, replaced in one step, bound to the journals after it. */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "./disk.ts";
import { journalGeneration } from "./journal.ts";
import type { Sqlite } from "./sqlite.ts";
import type { Copy } from "./sqlite-copy.ts";

export const snapshotName = "library.sqlite";

/** Which journals come after a snapshot: those of its generation and later, beginning after this sequence. */
export interface SnapshotMark {
  generation: number;
  sequence: number;
}

/** Notes the mark inside the database; not in the journal: it says what the file holds, not what was done. */
function noteMark(sqlite: Sqlite, mark: SnapshotMark): void {
  sqlite.script(
    `CREATE TABLE IF NOT EXISTS snapshot_mark (generation INTEGER NOT NULL, sequence INTEGER NOT NULL) STRICT;
     DELETE FROM snapshot_mark;
     INSERT INTO snapshot_mark VALUES (${mark.generation}, ${mark.sequence})`,
  );
}

/** The bytes of a snapshot, made in one go. */
export function exportMarked(sqlite: Sqlite, mark: SnapshotMark): Uint8Array {
  noteMark(sqlite, mark);
  return sqlite.export();
}

/** The bytes of a snapshot, from a copy that is ready: the database as it is now. */
export function finishMarked(sqlite: Sqlite, copy: Copy, mark: SnapshotMark): Uint8Array {
  noteMark(sqlite, mark);
  return copy.finish();
}

/** The mark that a snapshot bears; null when it bears none, as a file that is no snapshot of ours. */
export function markOf(sqlite: Sqlite): SnapshotMark | null {
  if (sqlite.first("SELECT 1 FROM sqlite_schema WHERE name = 'snapshot_mark'") === undefined) return null;
  const row = sqlite.first("SELECT generation, sequence FROM snapshot_mark");
  if (typeof row?.generation !== "number" || typeof row.sequence !== "number") return null;
  return { generation: row.generation, sequence: row.sequence };
}

/** Temporary file, sync, rename, sync of the directory: at any moment the name stands for an old or a new whole file. */
export async function writeWhole(disk: Disk, dir: string, name: string, bytes: Uint8Array): Promise<void> {
  await writeUnnamed(disk, dir, name, bytes);
  await takeName(disk, dir, name);
}

/** Bytes written between two looks at what else there is to do: 2 ms, and a sync that others can wait beside. */
const sliceBytes = 4 * 1024 * 1024;

/** Writes the file under a temporary name, slice by slice, each synced; answers its CRC-32. It gets its name by `takeName`. */
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
    disk.remove(path); // Room on a full disk is worth more than the half of a snapshot.
    throw error;
  }
  file.close();
  return crc;
}

/** The file of this name is now the one written beside it. */
export async function takeName(disk: Disk, dir: string, name: string): Promise<void> {
  disk.rename(join(dir, `${name}.new`), join(dir, name));
  await disk.syncDir(dir);
}

/** Removes what a snapshot has made superfluous: earlier journals, and files that a crash left half written. */
export function removeSuperseded(disk: Disk, dir: string, generation: number, names: string[]): void {
  for (const name of names) {
    const journal = journalGeneration(name);
    const unfinished = /^(library\.|before-schema-|vault\.key).*\.new$/.test(name);
    if (unfinished || (journal !== null && journal < generation)) disk.remove(join(dir, name));
  }
}
