/** Profiles: listing, launch data, last use, stored variables. */
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { ProfileSpec } from "../../protocol/profile-spec.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { hasProfile, readProfile, type StoredProfile, setLastUsed } from "../../storage/tables/profiles.ts";
import { readVariables } from "../../storage/tables/variables.ts";
import { instant, type LibraryContext } from "./context.ts";
import { refuseInFleet } from "./in-fleet.ts";
import type { ProfileList } from "./profile-list.ts";
import { specProxyOf } from "./profile-proxies.ts";
import { settingsNow } from "./settings.ts";
import { checkVariables, storeVariables } from "./variables.ts";

const missing = (profileId: string) => new Fault("not-found", `profile ${profileId} does not exist`);

/** Throws `not-found`. */
export function existingProfile(sql: Reader, profileId: string): StoredProfile {
  const profile = readProfile(sql, profileId.toLowerCase());
  if (profile === null) throw missing(profileId);
  return profile;
}

/** Its id as it is stored; reads nothing else, as the device takes longest. Throws `not-found`. */
export function existingProfileId(sql: Reader, profileId: string): string {
  const id = profileId.toLowerCase();
  if (!hasProfile(sql, id)) throw missing(profileId);
  return id;
}

export function specOf(
  sql: Reader,
  { vault, dataDir }: Pick<LibraryContext, "vault" | "dataDir">,
  profile: StoredProfile,
): ProfileSpec {
  const { id, name, os, languages, fingerprint } = profile;
  const proxy = specProxyOf(sql, vault, id);
  // The proxy's last measured exit is newer than the profile's own time zone.
  const timezone = proxy?.exit?.timezone ?? profile.timezone;
  const { keepSessionCookies, freezeAfterSecs } = settingsNow(sql);
  return {
    profileId: id,
    name,
    os,
    timezone,
    userDataDir: dataDir.userData(id),
    fingerprint,
    languages,
    proxy,
    uploadsDir: dataDir.uploads,
    keepsSessionCookies: keepSessionCookies,
    freezeAfterSecs,
  };
}

type ProfileCalls =
  | "listProfiles"
  | "findProfiles"
  | "listTrash"
  | "profileRecord"
  | "takenDevices"
  | "profileSpec"
  | "profileOpenings"
  | "profileUsed"
  | "setVariables";

export function profilesArea(
  { database, vault, dataDir, clock, profileFiles }: LibraryContext,
  list: ProfileList,
): Pick<LibraryApi, ProfileCalls> {
  return {
    listProfiles: ({ live }) => database.read(() => ({ json: list.json(live) })),
    findProfiles: ({ live, query }) => database.read(() => ({ json: list.find(live, query) })),
    listTrash: ({ live, query }) => database.read(() => ({ json: list.trash(live, query) })),
    profileRecord: ({ live, profileId }) =>
      database.read(() => {
        const json = list.one(live, profileId.toLowerCase());
        if (json === null) throw missing(profileId);
        return { json };
      }),
    takenDevices: ({ os }) => database.read(() => ({ keys: list.deviceKeys(os) })),
    async profileSpec({ profileId, opens = false }) {
      if (opens) {
        await database.read((sql) => refuseInFleet(sql, existingProfileId(sql, profileId)));
        await profileFiles.open(profileId.toLowerCase());
      }
      return database.readThere((sql) => {
        const profile = existingProfile(sql, profileId);
        refuseInFleet(sql, profile.id);
        return {
          spec: specOf(sql, { vault, dataDir }, profile),
          idleTimeoutSecs: settingsNow(sql).idleTimeoutSecs,
        };
      });
    },
    profileOpenings: async ({ profileId }) => profileFiles.openings(profileId.toLowerCase()),
    profileUsed: ({ profileId }) =>
      database.write((sql) => {
        const profile = { ...existingProfile(sql, profileId), lastUsed: instant(clock) };
        const names = readVariables(sql, profile.id).map((variable) => variable.name);
        setLastUsed(sql, profile.id, profile.lastUsed);
        list.put(profile, names);
        return null;
      }),
    setVariables: ({ profileId, variables }) =>
      database.write((sql) => {
        checkVariables(variables);
        const profile = existingProfile(sql, profileId);
        const names = storeVariables(sql, vault, profile.id, variables);
        list.put(profile, names);
        return { names };
      }),
  };
}
