/** Snapshots: the whole database as one ordinary SQLite file, replaced in one step, bound to the journals after it. */
import { join } from "node:path";
import type { Disk } from "./disk.ts";
import { journalGeneration } from "./journal.ts";
import type { Sqlite } from "./sqlite.ts";

export const snapshotName = "library.sqlite";

/** Which journals come after a snapshot: those of its generation and later, beginning after this sequence. */
export interface SnapshotMark {
  generation: number;
  sequence: number;
}

/** Notes the mark inside the database (not in the journal: it says what the file holds, not what was done) and exports it. */
export function exportMarked(sqlite: Sqlite, mark: SnapshotMark): Uint8Array {
  sqlite.script(
    `CREATE TABLE IF NOT EXISTS snapshot_mark (generation INTEGER NOT NULL, sequence INTEGER NOT NULL) STRICT;
     DELETE FROM snapshot_mark;
     INSERT INTO snapshot_mark VALUES (${mark.generation}, ${mark.sequence})`,
  );
  return sqlite.export();
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
  const path = join(dir, name);
  const file = disk.create(`${path}.new`);
  try {
    file.write(bytes, 0);
    await file.datasync();
  } catch (error) {
    file.close();
    disk.remove(`${path}.new`); // Room on a full disk is worth more than the half of a snapshot.
    throw error;
  }
  file.close();
  disk.rename(`${path}.new`, path);
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
