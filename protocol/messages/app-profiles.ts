/** The application's calls on profiles beyond `/v1`: live list, trash, cookies, details. */
import type { UserInput } from "../handoff.ts";
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
    Pick<OperationsApi, "trashProfiles" | "importCookies"> {
  /** Some of the changes since then; null: from the beginning. */
  profilesSince(input: { since: ListVersion | null }): Promise<ListedChanges>;
  liveProfiles(input: Record<string, never>): Promise<LiveProfile[]>;
  /** As HandoffCalls.endHandoff. Throws `conflict`. */
  endHandoff(input: { profileId: Uuid; outcome: "handed_back" | "refused" }): Promise<null>;
  /** As HandoffCalls.userInput. Throws `conflict`. */
  userInput(input: { profileId: Uuid; events: UserInput[] }): Promise<null>;
  /** As ProfilePageApi.cdpTrace. Throws `conflict` (the profile does not exist or is not running). */
  traceProfile(input: { profileId: Uuid; after: Count; waitMs: Count }): Promise<CdpTraceTail>;
}
