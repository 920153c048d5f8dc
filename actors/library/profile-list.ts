/** The list of profiles as JSON that is kept ready: one string a profile, made when the profile changes, not when it is asked for. */
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { Profile } from "../../protocol/records.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import type { StoredProfile } from "../../storage/tables/profiles.ts";
import { deviceKey } from "../fingerprint/device-key.ts";
import type { ListedDatasets } from "./profile-datasets.ts";
import type { ListedProxy } from "./profile-proxies.ts";

/** What a profile without a proxy shows (SPEC, "Proxy object": all five are required). */
const direct: ListedProxy = {
  proxy: { enabled: false, host: "", port: 0, proxyType: "http", requiresAuth: false },
};

type StillProfile = Omit<Profile, "status" | "cdpUrl" | "headless">;

export interface ProfileList {
  /** Adds the profile at the end, or renews it where it is; its proxy and datasets stay as they were set. */
  put(profile: StoredProfile, variableNames: string[]): void;
  /** Null: it goes out directly. The profile may be put later. */
  setProxy(profileId: string, proxy: ListedProxy | null): void;
  /** The names of its datasets. The profile may be put later. */
  setDatasets(profileId: string, datasets: ListedDatasets): void;
  hasSlug(slug: string): boolean;
  /** Keys of the devices of this system. */
  deviceKeys(os: ProfileOs): string[];
  /** The JSON bytes of the array of Profile records, newest last. */
  json(live: LiveProfile[]): Uint8Array;
}

export function createProfileList(): ProfileList {
  /** By id, in order of creation: the record up to where its live fields begin. */
  const heads = new Map<string, string>();
  const proxies = new Map<string, ListedProxy>();
  const datasets = new Map<string, ListedDatasets>();
  const slugs = new Set<string>();
  const devices: Record<ProfileOs, Set<string>> = { windows: new Set(), macos: new Set(), linux: new Set() };
  const encoder = new TextEncoder();
  return {
    put(profile, variableNames) {
      slugs.add(profile.slug);
      if (profile.fingerprint !== null) devices[profile.os].add(deviceKey(profile.fingerprint));
      heads.set(
        profile.id,
        headOf(profile, variableNames, proxies.get(profile.id), datasets.get(profile.id)),
      );
    },
    setProxy(profileId, proxy) {
      if (proxy === null) proxies.delete(profileId);
      else proxies.set(profileId, proxy);
      const head = heads.get(profileId);
      if (head !== undefined) heads.set(profileId, withProxy(head, proxy));
    },
    setDatasets(profileId, listed) {
      if (Object.keys(listed).length === 0) datasets.delete(profileId);
      else datasets.set(profileId, listed);
      const head = heads.get(profileId);
      if (head !== undefined) heads.set(profileId, withDatasets(head, listed));
    },
    hasSlug: (slug) => slugs.has(slug),
    deviceKeys: (os) => [...devices[os]],
    json(live) {
      const tails = new Map(live.map((profile) => [profile.profileId.toLowerCase(), tailOf(profile)]));
      const records: string[] = [];
      for (const [id, head] of heads) records.push(head + (tails.get(id) ?? stoppedTail));
      return encoder.encode(`[${records.join(",")}]`); // A buffer of its own: it is handed to another thread.
    },
  };
}

function headOf(
  profile: StoredProfile,
  variableNames: string[],
  proxy: ListedProxy = direct,
  datasets: ListedDatasets = {},
): string {
  const { timezone: _timezone, languages: _languages, fingerprint: _fingerprint, ...shown } = profile;
  const record: StillProfile = { ...shown, variableNames, ...proxy, ...datasets };
  return JSON.stringify(record).slice(0, -1);
}

/** Rare enough that the record is read back, rather than kept a second time for every profile. */
function withProxy(head: string, proxy: ListedProxy | null): string {
  const { proxyPoolId: _poolId, ...record }: StillProfile = JSON.parse(`${head}}`);
  return JSON.stringify({ ...record, ...(proxy ?? direct) }).slice(0, -1);
}

/** Likewise. */
function withDatasets(head: string, datasets: ListedDatasets): string {
  const {
    identityDataset: _identity,
    contentDataset: _content,
    ...record
  }: StillProfile = JSON.parse(`${head}}`);
  return JSON.stringify({ ...record, ...datasets }).slice(0, -1);
}

const stoppedTail = `,"status":"stopped"}`;

function tailOf(live: LiveProfile): string {
  const running = live.status === "running";
  const cdpUrl = running && live.cdpUrl !== null ? `,"cdpUrl":${JSON.stringify(live.cdpUrl)}` : "";
  const headless = running && live.headless ? `,"headless":true` : "";
  return `,"status":"${live.status}"${cdpUrl}${headless}}`;
}
