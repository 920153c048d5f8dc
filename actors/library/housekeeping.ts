/** Housekeeping: temporary things gone at the start; at quiet times a snapshot, and no run kept for ever, no directory without its run. */
import { join } from "node:path";
import { limits } from "../../protocol/limits.ts";
import { missingRuns, olderThanNewest, pruneRuns } from "../../storage/tables/runs.ts";
import type { Room } from "./room.ts";
import { trimRunFiles } from "./run-files.ts";

/** Worth a snapshot when nobody waits: a quarter of what makes one due. */
const quietShare = 0.25;

const uuidRule = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Empties the directory of temporary things: what a killed service left. Nobody else uses it, the lock is ours. */
export async function clearTemporary({ disk, dataDir }: Room): Promise<void> {
  for (const name of disk.list(dataDir.tmp)) await disk.removeTree(join(dataDir.tmp, name));
}

/**
 * Old runs go first, so that what is kept of them goes with them. Both the age and the number must be passed: a month
 * of few runs is kept whole, and a day of very many as well.
 */
export async function keepHouse(
  room: Room,
  { journalBytesMin, runsKeptMin }: { journalBytesMin: number; runsKeptMin: number },
): Promise<void> {
  const { database, disk, dataDir, clock } = room;
  const older = await database.read((sql) => olderThanNewest(sql, runsKeptMin));
  const before = new Date(clock.now() - limits.runsKeptMs).toISOString();
  if (older !== null) await database.write((sql) => pruneRuns(sql, older, before));
  if (database.journalBytes > journalBytesMin * quietShare) await database.snapshot();
  // Directories of profiles are left alone: one without its record may hold logins that only a restored backup misses.
  const names = disk.list(dataDir.runs).filter((name) => uuidRule.test(name));
  const orphans = await database.read((sql) => missingRuns(sql, names));
  for (const name of orphans) await disk.removeTree(join(dataDir.runs, name));
  const gone = new Set(orphans);
  await trimRunFiles(
    room,
    names.filter((name) => !gone.has(name)),
  );
}
