/** Filters, sorts and counts the profiles. Pure. */
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import type { Listed } from "./store.ts";

export type Place = { kind: "all" | "open" | "trash" } | { kind: "folder" | "tag" | "group"; name: string };

export const orders = ["newest", "name", "status", "folder", "proxy", "used"] as const;
export type Order = (typeof orders)[number];

export interface Choice {
  place: Place;
  search: string;
  order: Order;
  /** The order from its end. */
  reversed: boolean;
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

/** After every other text. */
const none = "\uffff";
const ranks: Record<LiveProfile["status"], string> = { running: "0", starting: "1", crashed: "2" };
const stoppedRank = "3";

/** What the order compares; `newest` is the order of the list itself. */
function keyOf(order: Order, live: ReadonlyMap<string, LiveProfile>): ((profile: Listed) => string) | null {
  switch (order) {
    case "newest":
      return null;
    case "name":
      return ({ sortName }) => sortName;
    case "status":
      return ({ id }) => {
        const status = live.get(id)?.status;
        return status === undefined ? stoppedRank : ranks[status];
      };
    case "folder":
      return ({ folder }) => folder?.toLowerCase() ?? none;
    case "proxy":
      return ({ proxy }) => (proxy.enabled ? `${proxy.host}:${proxy.port}` : none);
    case "used":
      return ({ lastUsed }) => lastUsed ?? "";
  }
}

/** The last used profile comes first. */
const fromLargest = (order: Order) => order === "used";

function inOrder(
  found: Listed[],
  live: ReadonlyMap<string, LiveProfile>,
  { order, reversed }: Choice,
): Listed[] {
  const key = keyOf(order, live);
  if (key === null) return reversed ? found.reverse() : found;
  const sign = fromLargest(order) === reversed ? 1 : -1;
  return found.sort((a, b) => {
    const [one, other] = [key(a), key(b)];
    return one < other ? -sign : one > other ? sign : 0;
  });
}

/** For a column's head. */
export function directionOf(
  column: string,
  { order, reversed }: Choice,
): "none" | "ascending" | "descending" {
  if (column !== order) return "none";
  return fromLargest(order) === reversed ? "ascending" : "descending";
}

/** `all` is sorted newest first. Every word of the search must match. */
export function chosen(
  all: readonly Listed[],
  live: ReadonlyMap<string, LiveProfile>,
  choice: Choice,
): Listed[] {
  const words = choice.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(
    (profile) => isIn(choice.place, profile, live) && words.every((word) => profile.searched.includes(word)),
  );
  return inOrder(found, live, choice);
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
