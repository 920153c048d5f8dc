/** Finds the ids of what a command names: profiles by id, tag, slug or name, all else by id or name. */
import type { Profile } from "../../protocol/records.ts";
import type { Api } from "./api.ts";
import { WrongUsage } from "./output.ts";
import type { Flag } from "./route-flags.ts";

/** What has a name that is not an identifier, by the path of its list; and the command that lists it. */
const kinds = {
  scripts: { noun: "script", group: "scripts" },
  datasets: { noun: "dataset", group: "datasets" },
  "proxy-pools": { noun: "proxy pool", group: "proxies" },
  schedules: { noun: "schedule", group: "schedules" },
} as const;
export type NamedKind = keyof typeof kinds;
/** trash: a profile in the trash. */
type ProfileKind = "profiles" | "trash";

/** Fields with the id of such a thing. */
const fields: Record<string, NamedKind> = {
  script_id: "scripts",
  schedule_id: "schedules",
  proxy_pool_id: "proxy-pools",
  pool_id: "proxy-pools",
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Of a comma-separated flag. */
export const namesIn = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Each profile once, in the order of the list. Throws `WrongUsage`, naming what is missing and the flag. */
export async function profilesNamed(api: Api, flag: string, names: readonly string[]): Promise<Profile[]> {
  const all = await api.call<Profile[]>({ method: "GET", path: "/v1/profiles" });
  const found = names.flatMap((name) => {
    const meant = meantBy(all, name);
    if (meant.length === 0)
      throw new WrongUsage(
        `--${flag}: no profile has ${JSON.stringify(name)} as id, tag, slug or name; see: troupe profiles list`,
      );
    return meant;
  });
  if (found.length === 0)
    throw new WrongUsage(`--${flag} names no profile; give a tag, or comma-separated ids`);
  return [...new Set(found)];
}

/** The id for a slug or name. Leaves ids to the service. Throws `WrongUsage` when no profile or several match. */
export async function profileIdOf(api: Api, given: string, trashed = false): Promise<string> {
  if (uuid.test(given)) return given;
  const all = trashed
    ? await trashOf(api)
    : await api.call<Profile[]>({ method: "GET", path: "/v1/profiles" });
  const list = `troupe profiles ${trashed ? "list-trash" : "list"}`;
  const bySlug = all.find(({ slug }) => slug === given);
  const [found, ...more] = bySlug === undefined ? all.filter(({ name }) => name === given) : [bySlug];
  if (found === undefined)
    throw new WrongUsage(
      `no profile${trashed ? " in the trash" : ""} has ${JSON.stringify(given)} as id, slug or name; see: ${list}`,
    );
  if (more.length === 0) return found.id;
  throw new WrongUsage(
    `${more.length + 1} profiles are called ${given}; use an id or a slug, which ${list} --json shows`,
  );
}

async function trashOf(api: Api): Promise<Profile[]> {
  const trash = await api.call<{ profile: Profile }[]>({ method: "GET", path: "/v1/trash" });
  return trash.map(({ profile }) => profile);
}

/** What `{id}` of a route's path stands for; null: something without a name. */
export function namedByPath(path: string): NamedKind | ProfileKind | null {
  if (path === "/v1/profiles/{id}/restore") return "trash";
  const kind = /^\/v1\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? "";
  return kind === "profiles" || isNamedKind(kind) ? kind : null;
}

const isNamedKind = (kind: string): kind is NamedKind => Object.hasOwn(kinds, kind);

export const describedBy = (kind: NamedKind | ProfileKind): string =>
  kind === "profiles" || kind === "trash"
    ? "the profile's id, slug or name"
    : `the ${kinds[kind].noun}'s id or name`;

/** The value of a flag with the ids of what it names. Leaves ids, and flags of other things, as they are. */
export async function withIds(api: Api, { key, name }: Pick<Flag, "key" | "name">, value: unknown) {
  const kind = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (kind !== undefined && typeof value === "string") return idOf(api, kind, value);
  if (key === "profile_id" && typeof value === "string") return profileIdOf(api, value);
  const areNames =
    key === "profile_ids" && Array.isArray(value) && value.every((one) => typeof one === "string");
  if (!areNames || value.every((one) => uuid.test(one))) return value;
  return (await profilesNamed(api, name, value)).map(({ id }) => id);
}

/** The id for a name. Leaves ids to the service. Throws `WrongUsage` when nothing of this kind, or several, have the name. */
export async function idOf(api: Api, kind: NamedKind | ProfileKind, given: string): Promise<string> {
  if (kind === "profiles" || kind === "trash") return profileIdOf(api, given, kind === "trash");
  return named(kind, given, () => api.call({ method: "GET", path: `/v1/${kind}` }));
}

/** The same of what `list` returns, which is called for names only. */
export async function named(
  kind: NamedKind,
  given: string,
  list: () => Promise<readonly { id: string; name: string }[]>,
): Promise<string> {
  if (uuid.test(given)) return given;
  const { noun, group } = kinds[kind];
  const [found, ...more] = (await list()).filter(({ name }) => name === given);
  const remedy = `see: troupe ${group} list`;
  if (found === undefined)
    throw new WrongUsage(`no ${noun} has ${JSON.stringify(given)} as id or name; ${remedy}`);
  if (more.length === 0) return found.id;
  throw new WrongUsage(`${more.length + 1} ${noun}s are called ${given}; use an id; ${remedy}`);
}

function meantBy(all: Profile[], name: string): Profile[] {
  if (uuid.test(name)) return all.filter(({ id }) => id === name.toLowerCase());
  const tagged = all.filter(({ tags }) => tags.includes(name));
  return tagged.length > 0 ? tagged : all.filter((profile) => profile.slug === name || profile.name === name);
}
