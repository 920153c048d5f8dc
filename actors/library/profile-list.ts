/** Keeps the profile list as ready JSON: one string per profile, rebuilt when the profile changes. */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import type { ListVersion, ProfileChanges } from "../../protocol/messages/profile-keeping.ts";
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { Profile, StillProfile } from "../../protocol/records.ts";
import type { ListProfilesQuery, ListTrashQuery } from "../../protocol/requests.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import type { ProfileLabels, StoredProfile } from "../../storage/tables/profiles.ts";
import { deviceKey } from "../fingerprint/device-key.ts";
import type { ListedDatasets } from "./profile-datasets.ts";
import type { ListedProxy } from "./profile-proxies.ts";

/** Shown for profiles without a proxy (protocol/README.md, "Profile": all five fields are required). */
const direct: ListedProxy = {
  proxy: { enabled: false, host: "", port: 0, proxyType: "http", requiresAuth: false },
};

/** A change cannot be rolled back: make it after everything that may throw. */
export interface ProfileList {
  /** Adds or replaces a profile. Keeps its position, proxy and datasets. */
  put(profile: StoredProfile, variableNames: string[]): void;
  /** Null means a direct connection. The profile may be added later. */
  setProxy(profileId: string, proxy: ListedProxy | null): void;
  /** The profile may be added later. */
  setDatasets(profileId: string, datasets: ListedDatasets): void;
  setLabels(profileId: string, labels: ProfileLabels): void;
  setTrashed(profileId: string, at: string | null): void;
  /** Frees its slug and device too. */
  remove(profileId: string): void;
  hasSlug(slug: string): boolean;
  deviceKeys(os: ProfileOs): string[];
  /** A JSON array of Profile records as UTF-8, newest last, without trashed ones. */
  json(live: LiveProfile[]): Uint8Array;
  /** The same of those that fit. Throws `invalid` when `after` is no profile of the list. */
  find(live: LiveProfile[], query: ListProfilesQuery): Uint8Array;
  /** Those in the trash, as TrashedProfile records. Throws as `find`. */
  trash(live: LiveProfile[], query: ListTrashQuery): Uint8Array;
  /** One Profile record; null for an unknown or trashed profile. */
  one(live: LiveProfile[], profileId: string): Uint8Array | null;
  /** Changes since a version, oldest first, at most `limit` profiles (see ProfileChanges). */
  since(version: ListVersion | null, limit: number): ProfileChanges;
}

interface Entry {
  /** The JSON record without its live fields and closing brace. */
  head: string;
  slug: string;
  os: ProfileOs;
  deviceKey: string | null;
  position: number;
  version: number;
  trashedAt: string | null;
}

export function createProfileList(): ProfileList {
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
  const page = (
    live: LiveProfile[],
    { after, limit = Number.POSITIVE_INFINITY }: ListTrashQuery,
    shown: (record: string, trashedAt: string | null) => string | null,
  ): Uint8Array => {
    const tails = tailsOf(live);
    const from = after === undefined ? 0 : entries.get(after.toLowerCase())?.position;
    if (from === undefined)
      throw new Fault("invalid", `after must be the id of a profile in the list, got ${after}`);
    const records: string[] = [];
    for (const [id, { head, position, trashedAt }] of entries) {
      if (position <= from) continue;
      if (records.length === limit) break;
      const record = shown(head + (tails.get(id) ?? stoppedTail), trashedAt);
      if (record !== null) records.push(record);
    }
    return encoder.encode(`[${records.join(",")}]`);
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
      const tails = tailsOf(live);
      const records: string[] = [];
      for (const [id, { head, trashedAt }] of entries)
        if (trashedAt === null) records.push(head + (tails.get(id) ?? stoppedTail));
      return encoder.encode(`[${records.join(",")}]`); // A new buffer, because it is transferred to another thread.
    },
    find: (live, query) =>
      page(live, query, (record, trashedAt) =>
        trashedAt === null && fits(JSON.parse(record), query) ? record : null,
      ),
    trash: (live, query) =>
      page(live, query, (record, trashedAt) =>
        trashedAt === null ? null : `{"profile":${record},"deleted_at":${JSON.stringify(trashedAt)}}`,
      ),
    one(live, profileId) {
      const entry = entries.get(profileId);
      if (entry === undefined || entry.trashedAt !== null) return null;
      return encoder.encode(entry.head + (tailsOf(live).get(profileId) ?? stoppedTail));
    },
    since: history.since,
  };
}

function fits(profile: Profile, { tag, folder, group, status, search }: ListProfilesQuery): boolean {
  const { name, slug, folder: own, groups, tags } = profile;
  const sought = search?.toLowerCase();
  return (
    (tag === undefined || tags.includes(tag)) &&
    (folder === undefined || own === folder) &&
    (group === undefined || groups.includes(group)) &&
    (status === undefined || profile.status === status) &&
    (sought === undefined ||
      [name, slug, own ?? "", ...groups, ...tags].some((text) => text.toLowerCase().includes(sought)))
  );
}

function createHistory(entries: ReadonlyMap<string, Entry>) {
  /** Identifies this list: versions of another one mean nothing here. */
  const life = randomUUID();
  const encoder = new TextEncoder();
  /** Versions by profile id, ordered by last change. */
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

/** Parses the record again instead of keeping a second copy, because this call is rare. */
function withProxy(head: string, proxy: ListedProxy | null): string {
  const { proxyPoolId: _poolId, ...record }: StillProfile = JSON.parse(`${head}}`);
  return JSON.stringify({ ...record, ...(proxy ?? direct) }).slice(0, -1);
}

function withLabels(head: string, labels: ProfileLabels): string {
  const record: StillProfile = JSON.parse(`${head}}`);
  return JSON.stringify({ ...record, ...labels }).slice(0, -1);
}

function withDatasets(head: string, datasets: ListedDatasets): string {
  const {
    identityDataset: _identity,
    contentDataset: _content,
    ...record
  }: StillProfile = JSON.parse(`${head}}`);
  return JSON.stringify({ ...record, ...datasets }).slice(0, -1);
}

const stoppedTail = `,"status":"stopped"}`;

const tailsOf = (live: LiveProfile[]) =>
  new Map(live.map((profile) => [profile.profileId.toLowerCase(), tailOf(profile)]));

function tailOf(live: LiveProfile): string {
  const running = live.status === "running";
  const cdpUrl = running && live.cdpUrl !== null ? `,"cdpUrl":${JSON.stringify(live.cdpUrl)}` : "";
  const headless = running && live.headless ? `,"headless":true` : "";
  return `,"status":"${live.status}"${cdpUrl}${headless}}`;
}
