/** Housekeeping: temporary things gone at the start; at quiet times a snapshot, and no directory without its run. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { missingRuns } from "../../storage/tables/runs.ts";
import type { Room } from "./room.ts";

/** Worth a snapshot when nobody waits: a quarter of what makes one due. */
const quietShare = 0.25;

const uuidRule = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Empties the directory of temporary things: what a killed service left. Nobody else uses it, the lock is ours. */
export async function clearTemporary({ dataDir }: Room): Promise<void> {
  for (const name of await readdir(dataDir.tmp)) {
    await rm(join(dataDir.tmp, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

export async function keepHouse({ database, dataDir }: Room, journalBytesMin: number): Promise<void> {
  if (database.journalBytes > journalBytesMin * quietShare) await database.snapshot();
  // Directories of profiles are left alone: one without its record may hold logins that only a restored backup misses.
  const names = (await readdir(dataDir.runs)).filter((name) => uuidRule.test(name));
  const orphans = await database.read((sql) => missingRuns(sql, names));
  for (const name of orphans) await rm(join(dataDir.runs, name), { recursive: true, force: true });
}
