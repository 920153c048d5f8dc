/** Filters, sorts and counts the profiles. Pure. */
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import type { Listed } from "./store.ts";

export type Place = { kind: "all" | "open" | "trash" } | { kind: "folder" | "tag" | "group"; name: string };

export type Order = "newest" | "name" | "used";

export interface Choice {
  place: Place;
  search: string;
  order: Order;
}

export function samePlace(a: Place, b: Place): boolean {
  return a.kind === b.kind && ("name" in a ? a.name : "") === ("name" in b ? b.name : "");
}

function isIn(place: Place, profile: Listed, live: ReadonlyMap<string, LiveProfile>): boolean {
  if ((profile.trashedAt !== null) !== (place.kind === "trash")) return false;
  switch (place.kind) {
    case "open": {
      const status = live.get(profile.id)?.status;
      return status === "running" || status === "starting";
    }
    case "folder":
      return profile.folder === place.name;
    case "tag":
      return profile.tags.includes(place.name);
    case "group":
      return profile.groups.includes(place.name);
    default:
      return true;
  }
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** `all` is sorted newest first. Every word of the search must match. */
export function chosen(
  all: readonly Listed[],
  live: ReadonlyMap<string, LiveProfile>,
  { place, search, order }: Choice,
): Listed[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(
    (profile) => isIn(place, profile, live) && words.every((word) => profile.searched.includes(word)),
  );
  if (order === "name") return found.sort((a, b) => byText(a.sortName, b.sortName));
  if (order === "used") return found.sort((a, b) => byText(b.lastUsed ?? "", a.lastUsed ?? ""));
  return found;
}

export interface Facets {
  all: number;
  open: number;
  trash: number;
  folders: [string, number][];
  tags: [string, number][];
  groups: [string, number][];
}

export function facetsOf(all: readonly Listed[], live: ReadonlyMap<string, LiveProfile>): Facets {
  const folders = new Map<string, number>();
  const tags = new Map<string, number>();
  const groups = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const facets = { all: 0, open: 0, trash: 0 };
  for (const profile of all) {
    if (profile.trashedAt !== null) {
      facets.trash += 1;
      continue;
    }
    facets.all += 1;
    if (isIn({ kind: "open" }, profile, live)) facets.open += 1;
    if (profile.folder !== null) count(folders, profile.folder);
    for (const tag of profile.tags) count(tags, tag);
    for (const group of profile.groups) count(groups, group);
  }
  const sorted = (counts: Map<string, number>) =>
    [...counts].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
  return { ...facets, folders: sorted(folders), tags: sorted(tags), groups: sorted(groups) };
}
