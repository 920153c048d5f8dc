/** What the application does with profiles beyond the operations of `/v1`: the living list, the trash, cookies, what each shows. */
import type { Cookie, RefusedCookie } from "../cookies.ts";
import type { Fingerprint } from "../fingerprint.ts";
import type { LiveProfile } from "../profile-spec.ts";
import type { ProfileProxyReply } from "../proxies.ts";
import type { Count, ProfileOs, Uuid } from "../scalars.ts";
import type { KeptProfile, ListVersion, ProfileChanges, ProfileKeepingCalls } from "./profile-keeping.ts";

/** What a profile shows to the sites it visits. */
export interface ProfileDetail {
  os: ProfileOs;
  timezone: string;
  /** Empty: the host's. */
  languages: string[];
  /** Null: the host's. */
  fingerprint: Fingerprint | null;
  proxy: ProfileProxyReply;
}

export interface ListedChanges extends Omit<ProfileChanges, "json"> {
  profiles: KeptProfile[];
}

export interface ImportedCookies {
  taken: Count;
  /** Of those taken: session cookies of a profile that was not open, which its browser has forgotten again. */
  forgotten: Count;
  refused: RefusedCookie[];
}

export interface AppProfileCalls
  extends Pick<ProfileKeepingCalls, "editProfiles" | "restoreProfiles" | "deleteForGood"> {
  /** A part of what has changed in the list since then; null: from the beginning. */
  profilesSince(input: { since: ListVersion | null }): Promise<ListedChanges>;
  /** The profiles that are not stopped. */
  liveProfiles(input: Record<string, never>): Promise<LiveProfile[]>;
  /** Those that run are stopped. Throws `not-found`. */
  trashProfiles(input: Parameters<ProfileKeepingCalls["trashProfiles"]>[0]): Promise<null>;
  /** Throws `not-found`. */
  profileDetail(input: { profileId: Uuid }): Promise<ProfileDetail>;
  /** One that is not open is opened without a window for the moment. Throws `conflict` as a launch does. */
  exportCookies(input: { profileId: Uuid }): Promise<{ cookies: Cookie[] }>;
  /**
   * Adds cookies as Playwright, Puppeteer or EditThisCookie write them; the bad ones are named and the others taken. Opened as
   * for `exportCookies`. Throws `conflict`, `invalid` (none of them can be read).
   */
  importCookies(input: { profileId: Uuid; cookies: unknown[] }): Promise<ImportedCookies>;
}
