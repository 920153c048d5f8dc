/** The application's upkeep of profiles: changes in the list, labels, the trash. */
import type { tags } from "typia";
import type { Fingerprint } from "../fingerprint.ts";
import type { ProfileProxyReply } from "../proxies.ts";
import type { StillProfile } from "../records.ts";
import type { PatchProfileBody } from "../requests.ts";
import type { DateTime, Labels, ProfileOs, Text, Uuid } from "../scalars.ts";

export interface ListVersion {
  /** Versions of different lists cannot be compared. */
  life: string;
  version: number;
}

/** Some of the changes since a version. While there is `more`, ask again from `version`. */
export interface ProfileChanges {
  version: ListVersion;
  /** The reader must begin with an empty list. */
  fresh: boolean;
  more: boolean;
  /** Ids of profiles that were deleted for good. */
  removed: Uuid[];
  /** JSON bytes of an array of KeptProfile, in the order of change. */
  json: Uint8Array;
}

/** A profile as the application lists it, without its running state. */
export interface KeptProfile extends StillProfile {
  position: number;
  trashedAt: DateTime | null;
}

export interface ProfileDetail {
  os: ProfileOs;
  timezone: string;
  /** Empty: the host's. */
  languages: string[];
  /** Null: the host's. */
  fingerprint: Fingerprint | null;
  proxy: ProfileProxyReply;
}

type ProfileIds = Uuid[] & tags.MinItems<1> & tags.MaxItems<100000>;

/** Absent fields stay as they are. */
export interface ProfileEdit {
  profileIds: ProfileIds;
  /** Only with one profile; its slug follows. */
  name?: string & tags.MinLength<1> & tags.MaxLength<200>;
  folder?: (Text & tags.MaxLength<100>) | null;
  addTags?: Labels;
  removeTags?: Labels;
  addGroups?: Labels;
  removeGroups?: Labels;
}

export interface ProfileKeepingCalls {
  /** At most `limit` profiles; `since` null: from the beginning. */
  profilesSince(input: { since: ListVersion | null; limit: number }): Promise<ProfileChanges>;
  /** Without secrets. Throws `not-found`. */
  profileDetail(input: { profileId: Uuid }): Promise<ProfileDetail>;
  /** All or none. Throws `not-found`, `invalid` (a name for several, more than 100 tags or groups). */
  editProfiles(input: ProfileEdit): Promise<null>;
  /** Throws `not-found` (profile, pool), `invalid` (a bad value, too many labels, no such slot). */
  patchProfile(input: { profileId: Uuid; patch: PatchProfileBody }): Promise<null>;
  /** Other calls no longer find them until they are restored. Throws `not-found`; with `unlessUsed`, `conflict` (a run uses one). */
  trashProfiles(input: { profileIds: ProfileIds; unlessUsed?: boolean }): Promise<null>;
  /** Throws `not-found` (not in the trash), `forbidden` (the plan's limit), `conflict` (being deleted). */
  restoreProfiles(input: { profileIds: ProfileIds }): Promise<null>;
  /** Deletes profiles in the trash, all with null, and unassigns their rows. Throws `not-found` (not in the trash). */
  deleteForGood(input: { profileIds: ProfileIds | null }): Promise<{ deleted: number }>;
}
