/** Keeping profiles in order, which the application does on the user's behalf: the list as it changes, labels, the trash. */
import type { tags } from "typia";
import type { StillProfile } from "../records.ts";
import type { DateTime, Text, Uuid } from "../scalars.ts";

/** How far a reader of the list has come. */
export interface ListVersion {
  /** Of the list: versions of another life say nothing in this one. */
  life: string;
  version: number;
}

/** A part of what has changed since a version; the reader goes on from `version` while there is `more`. */
export interface ProfileChanges {
  version: ListVersion;
  /** The reader must begin with an empty list: its version was null or of another life. */
  fresh: boolean;
  more: boolean;
  /** Ids of profiles that are gone for good. */
  removed: Uuid[];
  /** JSON bytes of an array of KeptProfile: as they are now, those that changed first stand first. */
  json: Uint8Array;
}

/** A profile as the application lists it; its running state is the pool's to tell. */
export interface KeptProfile extends StillProfile {
  /** Its place in the order of creation. */
  position: number;
  /** Null: it is not in the trash. */
  trashedAt: DateTime | null;
}

type ProfileIds = Uuid[] & tags.MinItems<1> & tags.MaxItems<100000>;
type Label = string & tags.MinLength<1> & tags.MaxLength<64>;
type Labels = Label[] & tags.MaxItems<100>;

/** What is left out stays as it is. */
export interface ProfileEdit {
  profileIds: ProfileIds;
  /** Of one profile only; its slug follows. */
  name?: string & tags.MinLength<1> & tags.MaxLength<200>;
  /** Null: in none. */
  folder?: (Text & tags.MaxLength<100>) | null;
  addTags?: Labels;
  removeTags?: Labels;
  addGroups?: Labels;
  removeGroups?: Labels;
}

export interface ProfileKeepingCalls {
  /** At most `limit` profiles; `since` null: from the beginning. */
  profilesSince(input: { since: ListVersion | null; limit: number }): Promise<ProfileChanges>;
  /** All or nothing. Throws `not-found`, `invalid` (a name for several, more than 100 tags or groups). */
  editProfiles(input: ProfileEdit): Promise<null>;
  /** To everything else they do not exist any more, until they are restored. Throws `not-found`. */
  trashProfiles(input: { profileIds: ProfileIds }): Promise<null>;
  /** Throws `not-found` (not in the trash), `forbidden` (the plan holds no more), `conflict` (being deleted). */
  restoreProfiles(input: { profileIds: ProfileIds }): Promise<null>;
  /**
   * Deletes those in the trash, all of them with null: their directories, with logins and cookies, and then their records.
   * The rows of their fixed datasets are unassigned again. Throws `not-found` (not in the trash).
   */
  deleteForGood(input: { profileIds: ProfileIds | null }): Promise<{ deleted: number }>;
}
