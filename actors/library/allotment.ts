/** What new profiles get besides a device. Each kind of allotment is offered first, and settled only when every kind has an offer. */
import type { NewProfiles } from "../../protocol/messages/library.ts";
import type { CreatedProfile } from "../../protocol/requests.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import type { StoredProfile } from "../../storage/tables/profiles.ts";
import type { LibraryContext } from "./context.ts";

export interface Grant {
  profile: Partial<Pick<StoredProfile, "timezone" | "languages">>;
  reply: Partial<Pick<CreatedProfile, "proxy_slot">>;
  /** Marks it as taken in storage. Call after the profile's row is inserted and before the next `offer`. */
  settle(sql: Writer, profile: StoredProfile): void;
}

export interface Allotment {
  /**
   * What the profile with this index (from 0) gets. Reads only, because another kind may still refuse. A fault fails this profile alone;
   * its message goes into `failed`.
   */
  offer(sql: Reader, index: number): Grant;
}

/** Null if the call does not ask for this kind. Throws to refuse the whole call: `not-found`, `invalid`, `conflict`. */
export type AllotmentKind = (context: LibraryContext, sql: Reader, input: NewProfiles) => Allotment | null;
