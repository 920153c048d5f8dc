/** Cleans up: temporary files at start; in quiet times old runs, orphaned run directories, and a snapshot. */
import { join } from "node:path";
import { limits } from "../../protocol/limits.ts";
import { missingRuns, olderThanNewest, pruneRuns } from "../../storage/tables/runs.ts";
import type { LibraryContext } from "./context.ts";
import { trimRunFiles } from "./run-files.ts";

/** The share of the usual threshold at which a quiet time is used for a snapshot. */
const quietShare = 0.25;

const uuidRule = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Safe because the lock makes this process the directory's only user. */
export async function clearTemporary({ disk, dataDir }: LibraryContext): Promise<void> {
  for (const name of disk.list(dataDir.tmp)) await disk.removeTree(join(dataDir.tmp, name));
}

/**
 * Deletes a run only if it is both old and not among the newest. Prunes before the snapshot and the directories, so that they no longer
 * contain the deleted runs.
 */
export async function keepHouse(
  context: LibraryContext,
  { journalBytesMin, runsKeptMin }: { journalBytesMin: number; runsKeptMin: number },
): Promise<void> {
  const { database, disk, dataDir, clock } = context;
  const older = await database.read((sql) => olderThanNewest(sql, runsKeptMin));
  const before = new Date(clock.now() - limits.runsKeptMs).toISOString();
  if (older !== null) await database.write((sql) => pruneRuns(sql, older, before));
  if (database.journalBytes > journalBytesMin * quietShare) await database.snapshot();
  // Keep profile directories without a record: they may hold logins that a restored backup does not know.
  const names = disk.list(dataDir.runs).filter((name) => uuidRule.test(name));
  const orphans = await database.read((sql) => missingRuns(sql, names));
  for (const name of orphans) await disk.removeTree(join(dataDir.runs, name));
  const gone = new Set(orphans);
  await trimRunFiles(
    context,
    names.filter((name) => !gone.has(name)),
  );
}
