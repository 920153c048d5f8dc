/** The application's calls on profiles beyond `/v1`: live list, trash, cookies, details. */
import type { Cookie, RefusedCookie } from "../cookies.ts";
import type { Fingerprint } from "../fingerprint.ts";
import type { LiveProfile } from "../profile-spec.ts";
import type { ProfileProxyReply } from "../proxies.ts";
import type { Count, ProfileOs, Uuid } from "../scalars.ts";
import type { CdpTraceTail } from "./profile.ts";
import type { KeptProfile, ListVersion, ProfileChanges, ProfileKeepingCalls } from "./profile-keeping.ts";

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
  /** Session cookies among them that a browser opened for the import has dropped again. */
  forgotten: Count;
  refused: RefusedCookie[];
}

export interface AppProfileCalls
  extends Pick<ProfileKeepingCalls, "editProfiles" | "restoreProfiles" | "deleteForGood"> {
  /** Some of the changes since then; null: from the beginning. */
  profilesSince(input: { since: ListVersion | null }): Promise<ListedChanges>;
  liveProfiles(input: Record<string, never>): Promise<LiveProfile[]>;
  /** As ProfilePageApi.cdpTrace. Throws `conflict` (the profile does not exist or is not running). */
  traceProfile(input: { profileId: Uuid; after: Count; waitMs: Count }): Promise<CdpTraceTail>;
  /** Stops those that run. Throws `not-found`. */
  trashProfiles(input: Parameters<ProfileKeepingCalls["trashProfiles"]>[0]): Promise<null>;
  /** Throws `not-found`. */
  profileDetail(input: { profileId: Uuid }): Promise<ProfileDetail>;
  /** Opens a stopped profile without a window meanwhile. Throws `conflict` as a launch does. */
  exportCookies(input: { profileId: Uuid }): Promise<{ cookies: Cookie[] }>;
  /** Of Playwright, Puppeteer or EditThisCookie. Opens the profile as `exportCookies`. Throws `conflict`, `invalid` (none is readable). */
  importCookies(input: { profileId: Uuid; cookies: unknown[] }): Promise<ImportedCookies>;
}
