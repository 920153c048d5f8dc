/**
 * Copies of profiles and their files, as the library makes them. The profile must not run: a copy that a browser opens meanwhile, or
 * since `openings` were counted, is a conflict.
 */
import type { Fingerprint } from "../fingerprint.ts";
import type { Checkpoint } from "../profile-copies.ts";
import type { CreateProfilesReply } from "../requests.ts";
import type { Count, Uuid } from "../scalars.ts";

export interface ProfileCopyCalls {
  /** `devices`: one for each duplicate. Throws `not-found`, `forbidden` (the plan's limit), `conflict`. */
  duplicateProfile(input: {
    profileId: Uuid;
    nameTemplate: string | null;
    devices: (Fingerprint | null)[];
    withState: boolean;
    openings?: Count;
  }): Promise<CreateProfilesReply>;
  /** Throws `not-found`. */
  listCheckpoints(input: { profileId: Uuid }): Promise<Checkpoint[]>;
  /** Throws `not-found`, `conflict`. */
  createCheckpoint(input: {
    profileId: Uuid;
    name: string;
    note: string | null;
    openings?: Count;
  }): Promise<Checkpoint>;
  /** Replaces the files by those of the checkpoint. Throws `not-found`, `conflict`. */
  restoreCheckpoint(input: { profileId: Uuid; checkpointId: Uuid; openings?: Count }): Promise<null>;
  /** Throws `not-found`. */
  deleteCheckpoint(input: { profileId: Uuid; checkpointId: Uuid }): Promise<null>;
  /** An archive in a temporary file, which the caller removes, and the profile's slug. Throws `not-found`, `conflict`. */
  exportProfile(input: {
    profileId: Uuid;
    cookiesOnly: boolean;
    openings?: Count;
  }): Promise<{ file: string; slug: string }>;
  /** `engine`: the version that will open it. Throws `invalid` (damaged, of a later release or engine), `forbidden` (the plan's limit). */
  importProfile(input: {
    file: string;
    engine: string | null;
  }): Promise<{ profileId: Uuid; missing: string[] }>;
}
