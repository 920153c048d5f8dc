/** The shape of what new profiles are given besides their device, one kind at a time: offered first, taken when all is offered. */
import type { NewProfiles } from "../../protocol/messages/library.ts";
import type { CreatedProfile } from "../../protocol/requests.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import type { StoredProfile } from "../../storage/tables/profiles.ts";
import type { Room } from "./room.ts";

/** What one new profile gets of one kind. */
export interface Grant {
  /** Replaces what a profile would have without it. */
  profile: Partial<Pick<StoredProfile, "timezone" | "languages">>;
  /** Stands in the profile's entry of the reply. */
  reply: Partial<Pick<CreatedProfile, "proxy_slot">>;
  /** Writes down that it is taken. The profile's row is there by now; the next `offer` reads what this wrote. */
  settle(sql: Writer, profile: StoredProfile): void;
}

/** One kind of what the profiles of one call are given. */
export interface Allotment {
  /**
   * What the profile of this index (from 0) will get; reads only, as the profile may still fail for want of another kind.
   * A fault fails this profile alone: its message is the profile's entry in `failed`.
   */
  offer(sql: Reader, index: number): Grant;
}

/** Null when the call asks for nothing of the kind. Throws what refuses the whole call: `not-found`, `invalid`, `conflict`. */
export type AllotmentKind = (room: Room, sql: Reader, input: NewProfiles) => Allotment | null;
