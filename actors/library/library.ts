/** The library without its thread: all areas over one storage. Tests and the crash harness call it directly. */

import { limits } from "../../protocol/limits.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { Disk } from "../../storage/disk.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { openStorage } from "../../storage/storage.ts";
import { readProfiles } from "../../storage/tables/profiles.ts";
import { readVariableNames } from "../../storage/tables/variables.ts";
import type { Clock } from "../kernel/clock.ts";
import { backupsArea } from "./backups.ts";
import { checkpointsArea } from "./checkpoints.ts";
import type { LibraryContext } from "./context.ts";
import { createProfilesArea } from "./create-profiles.ts";
import { createRunArea } from "./create-run.ts";
import { datasetSlotsArea } from "./dataset-slots.ts";
import { datasetsArea } from "./datasets.ts";
import { duplicateProfileArea } from "./duplicate-profile.ts";
import { recordingEvents } from "./events.ts";
import { extensionsArea } from "./extensions.ts";
import { fleetArea } from "./fleet.ts";
import { clearTemporary, keepHouse } from "./housekeeping.ts";
import { patchProfileArea } from "./patch-profile.ts";
import { profileArchivesArea } from "./profile-archives.ts";
import { listedDatasets } from "./profile-datasets.ts";
import { createProfileFiles } from "./profile-files.ts";
import { profileKeepingArea } from "./profile-keeping.ts";
import { createProfileList, type ProfileList } from "./profile-list.ts";
import { listedProxies } from "./profile-proxies.ts";
import { profilesArea } from "./profiles.ts";
import { proxyPoolsArea } from "./proxy-pools.ts";
import { removalsArea } from "./removals.ts";
import { retryRunArea } from "./retry-run.ts";
import { runsArea } from "./runs.ts";
import { schedulesArea } from "./schedules.ts";
import { scriptsArea } from "./scripts.ts";
import { settingsArea, unfitSettings } from "./settings.ts";
import { storageStateArea } from "./storage-state.ts";
import { tokensArea } from "./tokens.ts";
import { reportingTopics } from "./topics.ts";
import { webhooksArea } from "./webhooks.ts";

export interface LibraryOptions {
  dataDir: string;
  clock: Clock;
  disk?: Disk;
  /** The smallest journal that triggers a snapshot. Default: from limits. */
  journalBytesMin?: number;
  /** The number of newest runs to keep forever. Default: from limits. */
  runsKeptMin?: number;
  warn?(message: string): void;
}

export interface Library extends LibraryApi {
  look<T>(work: (sql: Reader) => T): Promise<T>;
}

/** Throws like `openStorage`. */
export async function createLibrary(options: LibraryOptions): Promise<Library> {
  const {
    clock,
    journalBytesMin = limits.journalBytesMin,
    runsKeptMin = limits.runsKeptMin,
    warn = () => {},
    ...where
  } = options;
  const list = createProfileList();
  const renewed = (sql: Reader) => void fill(list, sql);
  const storage = await openStorage({ ...where, journalBytesMin, now: () => clock.now(), renewed, warn });
  const context: LibraryContext = {
    ...storage,
    clock,
    profileFiles: createProfileFiles(storage.dataDir),
  };
  await clearTemporary(context);
  await storage.database.read((sql) => {
    renewed(sql);
    for (const name of unfitSettings(sql)) {
      warn(
        `the stored setting ${name} is invalid, so its default applies; set it again: troupe settings ${name}=VALUE`,
      );
    }
  });
  let closing: Promise<void> | null = null;
  const failed = (error: unknown) =>
    warn(`events were not written: ${error instanceof Error ? error.message : error}`);
  const library = reportingTopics({
    ...profilesArea(context, list),
    ...createProfilesArea(context, list),
    ...profileKeepingArea(context, list),
    ...patchProfileArea(context, list),
    ...duplicateProfileArea(context, list),
    ...checkpointsArea(context),
    ...profileArchivesArea(context, list),
    ...proxyPoolsArea(context, list),
    ...datasetsArea(context),
    ...datasetSlotsArea(context, list),
    ...scriptsArea(context),
    ...createRunArea(context),
    ...runsArea(context),
    ...fleetArea(context),
    ...removalsArea(context),
    ...retryRunArea(context),
    ...schedulesArea(context),
    ...tokensArea(context),
    ...settingsArea(context),
    ...webhooksArea(context),
    ...extensionsArea(context),
    ...backupsArea(context),
    async maintain() {
      await keepHouse(context, { journalBytesMin, runsKeptMin });
      return null;
    },
    ...storageStateArea(context),
    async close() {
      closing ??= storage.close();
      await closing;
      return null;
    },
    look<T>(work: (sql: Reader) => T) {
      return storage.database.read(work);
    },
  });
  return recordingEvents(library, context, failed);
}

function fill(list: ProfileList, sql: Reader): void {
  Object.assign(list, createProfileList());
  const names = readVariableNames(sql);
  for (const [profileId, proxy] of listedProxies(sql)) list.setProxy(profileId, proxy);
  for (const [profileId, datasets] of listedDatasets(sql)) list.setDatasets(profileId, datasets);
  for (const profile of readProfiles(sql)) list.put(profile, names.get(profile.id) ?? []);
}
