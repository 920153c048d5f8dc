/** The application's calls on profiles beyond `/v1`: live list, trash, cookies, details. */
import type { LiveProfile } from "../profile-spec.ts";
import type { Count, Uuid } from "../scalars.ts";
import type { OperationsApi } from "./operations.ts";
import type { CdpTraceTail } from "./profile.ts";
import type { KeptProfile, ListVersion, ProfileChanges, ProfileKeepingCalls } from "./profile-keeping.ts";

export interface ListedChanges extends Omit<ProfileChanges, "json"> {
  profiles: KeptProfile[];
}

export interface AppProfileCalls
  extends Pick<ProfileKeepingCalls, "editProfiles" | "restoreProfiles" | "deleteForGood" | "profileDetail">,
    Pick<OperationsApi, "trashProfiles" | "exportCookies" | "importCookies"> {
  /** Some of the changes since then; null: from the beginning. */
  profilesSince(input: { since: ListVersion | null }): Promise<ListedChanges>;
  liveProfiles(input: Record<string, never>): Promise<LiveProfile[]>;
  /** As ProfilePageApi.cdpTrace. Throws `conflict` (the profile does not exist or is not running). */
  traceProfile(input: { profileId: Uuid; after: Count; waitMs: Count }): Promise<CdpTraceTail>;
}
