/** Finds the profiles that a command names by id, tag, slug or name, and the scripts that it names. */
import type { Profile, ScriptListing } from "../../protocol/records.ts";
import type { Api } from "./api.ts";
import { WrongUsage } from "./output.ts";
import type { Flag } from "./route-flags.ts";

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
export async function profileIdOf(api: Api, given: string): Promise<string> {
  if (uuid.test(given)) return given;
  const all = await api.call<Profile[]>({ method: "GET", path: "/v1/profiles" });
  const bySlug = all.find(({ slug }) => slug === given);
  const [found, ...more] = bySlug === undefined ? all.filter(({ name }) => name === given) : [bySlug];
  if (found === undefined)
    throw new WrongUsage(
      `no profile has ${JSON.stringify(given)} as id, slug or name; see: troupe profiles list`,
    );
  if (more.length === 0) return found.id;
  throw new WrongUsage(
    `${more.length + 1} profiles are called ${given}; use an id or a slug, which troupe profiles list --json shows`,
  );
}

/** The value of a flag with the ids of what it names. Leaves ids, and flags of other things, as they are. */
export async function withIds(api: Api, { key, name }: Pick<Flag, "key" | "name">, value: unknown) {
  if (key === "script_id" && typeof value === "string") return scriptIdOf(api, value);
  if (key === "profile_id" && typeof value === "string") return profileIdOf(api, value);
  const areNames =
    key === "profile_ids" && Array.isArray(value) && value.every((one) => typeof one === "string");
  if (!areNames || value.every((one) => uuid.test(one))) return value;
  return (await profilesNamed(api, name, value)).map(({ id }) => id);
}

async function scriptIdOf(api: Api, given: string): Promise<string> {
  if (uuid.test(given)) return given;
  const all = await api.call<ScriptListing[]>({ method: "GET", path: "/v1/scripts" });
  const [found, ...more] = all.filter(({ name }) => name === given);
  if (found === undefined)
    throw new WrongUsage(`no script has ${JSON.stringify(given)} as id or name; see: troupe scripts list`);
  if (more.length === 0) return found.id;
  throw new WrongUsage(`${more.length + 1} scripts are called ${given}; use an id; see: troupe scripts list`);
}

function meantBy(all: Profile[], name: string): Profile[] {
  if (uuid.test(name)) return all.filter(({ id }) => id === name.toLowerCase());
  const tagged = all.filter(({ tags }) => tags.includes(name));
  return tagged.length > 0 ? tagged : all.filter((profile) => profile.slug === name || profile.name === name);
}
