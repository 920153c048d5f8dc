/** Opens a database: recovers it from disk, migrates it, and continues its journal. */
import { crc32c } from "./crc32c.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { Journal } from "./journal.ts";
import { type Recovered, recover } from "./recovery.ts";
import { migrate } from "./schema.ts";
import { exportMarked, removeSuperseded, snapshotName, writeWhole } from "./snapshot.ts";

/** Throws `internal` (damage, or a file of a later version). */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { disk, dir } = options;
  const { sqlite, tail, snapshot } = await recover(disk, dir);
  try {
    const journal = tail === null ? null : await Journal.reopen(disk, dir, tail);
    const migrated = await migrate(sqlite, options.migrations, async (version) => {
      if (tail !== null) await writeWhole(disk, dir, `before-schema-${version}.sqlite`, sqlite.export());
    });
    const at = journal ?? { generation: 0, sequence: 0, close() {} };
    if (journal !== null && !migrated) {
      removeSuperseded(disk, dir, snapshot.generation, disk.list(dir));
      return resumed(options, { sqlite, tail, snapshot }, journal);
    }
    const mark = { generation: at.generation + 1, sequence: at.sequence };
    const bytes = exportMarked(sqlite, mark);
    const told = { snapshotBytes: bytes.length, snapshotCrc: crc32c(bytes) };
    const header = { generation: mark.generation, firstSequence: mark.sequence + 1, ...told };
    const next = await (await Journal.create(disk, dir, header)).takeName();
    await writeWhole(disk, dir, snapshotName, bytes);
    at.close();
    removeSuperseded(disk, dir, mark.generation, disk.list(dir));
    return new Database(options, sqlite, next, { bytes: bytes.length, isBehind: false });
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

export function resumed(
  options: DatabaseOptions,
  { sqlite, tail, snapshot }: Recovered,
  journal: Journal,
): Database {
  const isBehind = tail?.transactions !== 0 || snapshot.generation !== journal.generation;
  return new Database(options, sqlite, journal, { bytes: snapshot.bytes, isBehind });
}
