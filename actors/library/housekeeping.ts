/** Housekeeping at a quiet time: a snapshot when the journal has grown, directories of runs that no longer exist removed. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { missingRuns } from "../../storage/tables/runs.ts";
import type { Room } from "./room.ts";

/** Worth a snapshot when nobody waits: a quarter of what makes one due. */
const quietShare = 0.25;

const uuidRule = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function keepHouse({ database, dataDir }: Room, journalBytesMin: number): Promise<void> {
  if (database.journalBytes > journalBytesMin * quietShare) await database.snapshot();
  // Directories of profiles are left alone: one without its record may hold logins that only a restored backup misses.
  const names = (await readdir(dataDir.runs)).filter((name) => uuidRule.test(name));
  const orphans = await database.read((sql) => missingRuns(sql, names));
  for (const name of orphans) await rm(join(dataDir.runs, name), { recursive: true, force: true });
}
