/** The list of profiles as JSON that is kept ready: one string a profile, made when the profile changes, not when it is asked for. */
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { Profile } from "../../protocol/records.ts";
import type { StoredProfile } from "../../storage/tables/profiles.ts";

/** What a profile without a proxy shows (SPEC, "Proxy object": all five are required). */
const noProxy: Profile["proxy"] = {
  enabled: false,
  host: "",
  port: 0,
  proxyType: "http",
  requiresAuth: false,
};

type StillProfile = Omit<Profile, "status" | "cdpUrl" | "headless">;

export interface ProfileList {
  /** Adds the profile at the end, or renews it where it is. */
  put(profile: StoredProfile, variableNames: string[]): void;
  hasSlug(slug: string): boolean;
  /** The JSON bytes of the array of Profile records, newest last. */
  json(live: LiveProfile[]): Uint8Array;
}

export function createProfileList(): ProfileList {
  /** By id, in order of creation: the record up to where its live fields begin. */
  const heads = new Map<string, string>();
  const slugs = new Set<string>();
  const encoder = new TextEncoder();
  return {
    put(profile, variableNames) {
      slugs.add(profile.slug);
      heads.set(profile.id, headOf(profile, variableNames));
    },
    hasSlug: (slug) => slugs.has(slug),
    json(live) {
      const tails = new Map(live.map((profile) => [profile.profileId.toLowerCase(), tailOf(profile)]));
      const records: string[] = [];
      for (const [id, head] of heads) records.push(head + (tails.get(id) ?? stoppedTail));
      return encoder.encode(`[${records.join(",")}]`); // A buffer of its own: it is handed to another thread.
    },
  };
}

function headOf(profile: StoredProfile, variableNames: string[]): string {
  const { timezone: _timezone, ...shown } = profile;
  const record: StillProfile = { ...shown, variableNames, proxy: noProxy };
  return JSON.stringify(record).slice(0, -1);
}

const stoppedTail = `,"status":"stopped"}`;

function tailOf(live: LiveProfile): string {
  const running = live.status === "running";
  const cdpUrl = running && live.cdpUrl !== null ? `,"cdpUrl":${JSON.stringify(live.cdpUrl)}` : "";
  const headless = running && live.headless ? `,"headless":true` : "";
  return `,"status":"${live.status}"${cdpUrl}${headless}}`;
}
