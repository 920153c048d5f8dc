/** What the library does for runs in the fleet (actors/fleet/README.md). */
import type { ProfileSpec } from "../profile-spec.ts";
import type { RunTask } from "../run-task.ts";
import type { Uuid } from "../scalars.ts";

export interface PlacedPart {
  task: RunTask;
  spec: ProfileSpec;
}

export interface FleetCalls {
  /**
   * Reserves the part's rows and marks it as placed; one that is placed is answered again, with the same rows. Throws `not-found`,
   * `conflict` (the part is neither waiting nor placed; the script has changed; no row is left).
   */
  placeRunProfile(input: { runId: Uuid; profileId: Uuid }): Promise<PlacedPart>;
  /** A machine of the fleet has begun a placed part, or its part waits there again. */
  notePlaced(input: { runId: Uuid; profileId: Uuid; begun: boolean }): Promise<null>;
  /** Whether the newest files of the profile, which may be in the trash, are in the fleet. Throws `not-found`. */
  profileInFleet(input: { profileId: Uuid }): Promise<{ inFleet: boolean }>;
  /** Those whose newest files are in the fleet, also in the trash. */
  profilesInFleet(input: Record<string, never>): Promise<{ profileIds: Uuid[] }>;
  /** Marks the profile as in the fleet and writes its archive to a temporary file, which the caller removes. Throws `not-found`, `conflict` (it is open). */
  giveProfile(input: { profileId: Uuid }): Promise<{ file: string; engine: string | null }>;
  /** The profile, which may be in the trash, is here again. `file`: the archive with its newest files; null: those here are the newest. Throws `not-found`, `invalid` (damaged, of a later engine). */
  receiveProfile(input: { profileId: Uuid; file: string | null; engine: string | null }): Promise<null>;
}
