/** The list of profiles as JSON that is kept ready: one string a profile, made when the profile changes, not when it is asked for. */
import { randomUUID } from "node:crypto";
import type { ListVersion, ProfileChanges } from "../../protocol/messages/profile-keeping.ts";
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { StillProfile } from "../../protocol/records.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import type { ProfileLabels, StoredProfile } from "../../storage/tables/profiles.ts";
import { deviceKey } from "../fingerprint/device-key.ts";
import type { ListedDatasets } from "./profile-datasets.ts";
import type { ListedProxy } from "./profile-proxies.ts";

/** What a profile without a proxy shows (protocol/README.md, "Profile": all five are required). */
const direct: ListedProxy = {
  proxy: { enabled: false, host: "", port: 0, proxyType: "http", requiresAuth: false },
};

export interface ProfileList {
  /** Adds the profile at the end, or renews it where it is; its proxy and datasets stay as they were set. */
  put(profile: StoredProfile, variableNames: string[]): void;
  /** Null: it goes out directly. The profile may be put later. */
  setProxy(profileId: string, proxy: ListedProxy | null): void;
  /** The names of its datasets. The profile may be put later. */
  setDatasets(profileId: string, datasets: ListedDatasets): void;
  /** Name, slug, folder, groups and tags. */
  setLabels(profileId: string, labels: ProfileLabels): void;
  /** Null: it is back from the trash. */
  setTrashed(profileId: string, at: string | null): void;
  /** It is gone for good, its slug and device are free. */
  remove(profileId: string): void;
  hasSlug(slug: string): boolean;
  /** Keys of the devices of this system. */
  deviceKeys(os: ProfileOs): string[];
  /** The JSON bytes of the array of Profile records, newest last, without those in the trash. */
  json(live: LiveProfile[]): Uint8Array;
  /** What has changed since a version, oldest change first, at most `limit` profiles; see ProfileChanges. */
  since(version: ListVersion | null, limit: number): ProfileChanges;
}

interface Entry {
  /** The record up to where its live fields begin. */
  head: string;
  slug: string;
  os: ProfileOs;
  deviceKey: string | null;
  /** Its place in the order of creation. */
  position: number;
  /** The version at which it changed last. */
  version: number;
  trashedAt: string | null;
}

export function createProfileList(): ProfileList {
  /** By id, in order of creation. */
  const entries = new Map<string, Entry>();
  const proxies = new Map<string, ListedProxy>();
  const datasets = new Map<string, ListedDatasets>();
  const slugs = new Set<string>();
  const history = createHistory(entries);
  const encoder = new TextEncoder();
  const change = (id: string, changed: (entry: Entry) => Partial<Entry>) => {
    const entry = entries.get(id);
    if (entry === undefined) return;
    Object.assign(entry, changed(entry));
    history.changed(id, entry);
  };
  return {
    put(profile, variableNames) {
      const { id, slug, os, fingerprint, trashedAt } = profile;
      const known = entries.get(id);
      if (known !== undefined) slugs.delete(known.slug);
      slugs.add(slug);
      const entry: Entry = {
        head: headOf(profile, variableNames, proxies.get(id), datasets.get(id)),
        slug,
        os,
        deviceKey: fingerprint === null ? null : deviceKey(fingerprint),
        position: known?.position ?? history.nextPosition(),
        version: 0,
        trashedAt,
      };
      entries.set(id, entry);
      history.changed(id, entry);
    },
    setProxy(profileId, proxy) {
      if (proxy === null) proxies.delete(profileId);
      else proxies.set(profileId, proxy);
      change(profileId, ({ head }) => ({ head: withProxy(head, proxy) }));
    },
    setDatasets(profileId, listed) {
      if (Object.keys(listed).length === 0) datasets.delete(profileId);
      else datasets.set(profileId, listed);
      change(profileId, ({ head }) => ({ head: withDatasets(head, listed) }));
    },
    setLabels(profileId, labels) {
      change(profileId, ({ head, slug }) => {
        slugs.delete(slug);
        slugs.add(labels.slug);
        return { head: withLabels(head, labels), slug: labels.slug };
      });
    },
    setTrashed: (profileId, trashedAt) => change(profileId, () => ({ trashedAt })),
    remove(profileId) {
      const entry = entries.get(profileId);
      if (entry === undefined) return;
      slugs.delete(entry.slug);
      entries.delete(profileId);
      proxies.delete(profileId);
      datasets.delete(profileId);
      history.removed(profileId);
    },
    hasSlug: (slug) => slugs.has(slug),
    deviceKeys: (os) =>
      [...entries.values()].flatMap((entry) =>
        entry.os === os && entry.deviceKey !== null ? [entry.deviceKey] : [],
      ),
    json(live) {
      const tails = new Map(live.map((profile) => [profile.profileId.toLowerCase(), tailOf(profile)]));
      const records: string[] = [];
      for (const [id, { head, trashedAt }] of entries)
        if (trashedAt === null) records.push(head + (tails.get(id) ?? stoppedTail));
      return encoder.encode(`[${records.join(",")}]`); // A buffer of its own: it is handed to another thread.
    },
    since: history.since,
  };
}

/** The order of changes: which profiles changed after a version, and which are gone since. */
function createHistory(entries: ReadonlyMap<string, Entry>) {
  /** Of this life of the list: what another life has counted says nothing here. */
  const life = randomUUID();
  const encoder = new TextEncoder();
  /** Ids in order of their last change; a changed one moves to the end. */
  const order = new Map<string, number>();
  let version = 0;
  let positions = 0;
  const note = (id: string): number => {
    version += 1;
    order.delete(id);
    order.set(id, version);
    return version;
  };
  return {
    nextPosition() {
      positions += 1;
      return positions;
    },
    changed(id: string, entry: Entry) {
      entry.version = note(id);
    },
    removed: (id: string) => void note(id),
    since(from: ListVersion | null, limit: number): ProfileChanges {
      const fresh = from === null || from.life !== life;
      const after = fresh ? 0 : from.version;
      const removed: string[] = [];
      const records: string[] = [];
      let upTo = version;
      for (const [id, at] of order) {
        if (at <= after) continue;
        if (records.length === limit) break;
        upTo = at;
        const entry = entries.get(id);
        if (entry !== undefined) records.push(shownToPage(entry));
        else if (!fresh) removed.push(id);
      }
      const json = encoder.encode(`[${records.join(",")}]`);
      return { version: { life, version: upTo }, fresh, more: upTo < version, removed, json };
    },
  };
}

function shownToPage({ head, position, trashedAt }: Entry): string {
  return `${head},"position":${position},"trashedAt":${JSON.stringify(trashedAt)}}`;
}

function headOf(
  profile: StoredProfile,
  variableNames: string[],
  proxy: ListedProxy = direct,
  datasets: ListedDatasets = {},
): string {
  const { timezone: _timezone, languages: _languages, fingerprint: _fingerprint, ...rest } = profile;
  const { trashedAt: _trashedAt, ...shown } = rest;
  const record: StillProfile = { ...shown, variableNames, ...proxy, ...datasets };
  return JSON.stringify(record).slice(0, -1);
}

/** Rare enough that the record is read back, rather than kept a second time for every profile. */
function withProxy(head: string, proxy: ListedProxy | null): string {
  const { proxyPoolId: _poolId, ...record }: StillProfile = JSON.parse(`${head}}`);
  return JSON.stringify({ ...record, ...(proxy ?? direct) }).slice(0, -1);
}

/** Likewise. */
function withLabels(head: string, labels: ProfileLabels): string {
  const record: StillProfile = JSON.parse(`${head}}`);
  return JSON.stringify({ ...record, ...labels }).slice(0, -1);
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
