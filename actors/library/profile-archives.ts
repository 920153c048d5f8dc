/** Profile archives: what another service of Troupe opens as a new profile. */
import { randomUUID } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { refuseUnseenName } from "../../protocol/names.ts";
import type { ArchivedProfile } from "../../protocol/profile-copies.ts";
import { addressOf } from "../../protocol/proxies.ts";
import {
  type ProfileManifest,
  readProfileArchive,
  writeProfileArchive,
} from "../../storage/profile-archive.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { insertProfile, type StoredProfile } from "../../storage/tables/profiles.ts";
import { readPlace } from "../../storage/tables/proxy-pools.ts";
import { readVariables } from "../../storage/tables/variables.ts";
import { instant, type LibraryContext } from "./context.ts";
import { checkPlan, slugOf, uniqueSlug } from "./create-profiles.ts";
import { refuseInFleet } from "./in-fleet.ts";
import { distinctOf, languagesOf, timezoneOf } from "./patch-profile.ts";
import type { ProfileList } from "./profile-list.ts";
import { existingProfile, existingProfileId } from "./profiles.ts";

export function profileArchivesArea(
  context: LibraryContext,
  list: ProfileList,
): Pick<LibraryApi, "exportProfile" | "importProfile"> {
  const { database, dataDir, disk, clock, profileFiles } = context;
  return {
    async exportProfile({ profileId, cookiesOnly, openings }) {
      const { id, slug, profile } = await database.read((sql) => {
        const stored = existingProfile(sql, profileId);
        refuseInFleet(sql, stored.id);
        return { ...stored, profile: archived(sql, stored) };
      });
      const file = join(dataDir.tmp, `${randomUUID()}.troupe`);
      const userDataDir = dataDir.userData(id);
      const options = { file, userDataDir, profile, cookiesOnly, createdAt: instant(clock) };
      try {
        await profileFiles.closed(
          id,
          async () => {
            await database.read((sql) => existingProfileId(sql, id)); // It may have been deleted meanwhile.
            await writeProfileArchive(options);
          },
          { openings },
        );
      } catch (error) {
        await disk.removeTree(file);
        throw error;
      }
      return { file, slug };
    },
    async importProfile({ file, engine }) {
      await database.read((sql) => checkPlan(sql, 1));
      const unpacked = join(dataDir.tmp, randomUUID());
      const id = randomUUID();
      const userDataDir = dataDir.userData(id);
      try {
        await mkdir(join(unpacked, "chromium"), { recursive: true, mode: 0o700 });
        const manifest = await readProfileArchive(file, unpacked);
        refuseOlder(manifest.engine, engine);
        await mkdir(dirname(userDataDir), { mode: 0o700 });
        await rename(join(unpacked, "chromium"), userDataDir);
        await database.write((sql) => {
          checkPlan(sql, 1);
          const stored = storedOf(manifest.profile, id, list, instant(clock));
          insertProfile(sql, stored);
          list.put(stored, []);
        });
        return { profileId: id, missing: missingOf(manifest) };
      } catch (error) {
        await disk.removeTree(dirname(userDataDir));
        throw systemFault(error, unpacked);
      } finally {
        await disk.removeTree(unpacked);
      }
    },
  };
}

export function archived(sql: Reader, profile: StoredProfile): ArchivedProfile {
  const { name, os, folder, groups, tags, timezone, languages, fingerprint } = profile;
  const proxy = readPlace(sql, profile.id)?.proxy ?? null;
  return {
    name,
    os,
    folder,
    groups,
    tags,
    timezone,
    languages,
    fingerprint,
    variables: readVariables(sql, profile.id).map((variable) => variable.name),
    proxy: proxy === null ? null : `${proxy.type}://${addressOf(proxy)}`,
  };
}

function storedOf(given: ArchivedProfile, id: string, list: ProfileList, createdAt: string): StoredProfile {
  const { name, os, folder, fingerprint } = given;
  refuseUnseenName(given);
  const slug = uniqueSlug(slugOf(name), (one) => list.hasSlug(one));
  const labels = { name, slug, folder, groups: distinctOf(given.groups), tags: distinctOf(given.tags) };
  const locale = { timezone: timezoneOf(given.timezone), languages: languagesOf(given.languages) };
  return { id, os, ...labels, ...locale, fingerprint, createdAt, lastUsed: null, trashedAt: null };
}

/** A profile that a newer engine has used cannot be read by an older one. */
export function refuseOlder(used: string | null, engine: string | null): void {
  const major = (version: string | null) => Number(version?.split(".")[0] ?? Number.NaN);
  if (!(major(used) > major(engine))) return;
  throw new Fault(
    "invalid",
    `the profile was used by Chromium ${used}, and this machine has the older ${engine}; update it first`,
  );
}

function missingOf({ profile, platform, cookiesOnly }: ProfileManifest): string[] {
  return [
    ...(profile.variables.length === 0
      ? []
      : [`the values of ${profile.variables.length} variables: ${profile.variables.join(", ")}`]),
    ...(profile.proxy === null ? [] : [`the proxy ${profile.proxy} with its user and password`]),
    ...(cookiesOnly ? ["storage, history and extensions: the archive has cookies only"] : []),
    ...(platform === process.platform
      ? []
      : [
          `cookies and saved passwords: they are sealed for ${platform}, and this machine is ${process.platform}`,
        ]),
  ];
}
