/** Finds the profiles that a command names by id, tag, slug or name. */
import type { Profile } from "../../protocol/records.ts";
import type { Api } from "./api.ts";
import { WrongUsage } from "./output.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `wanted` is comma-separated. Each profile once, in the order of the list. Throws `WrongUsage`, naming what is missing. */
export async function profilesNamed(api: Api, wanted: string): Promise<Profile[]> {
  const all = await api.call<Profile[]>({ method: "GET", path: "/v1/profiles" });
  const names = wanted
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const found = names.flatMap((name) => {
    const meant = meantBy(all, name);
    if (meant.length === 0)
      throw new WrongUsage(`--profiles: no profile has ${JSON.stringify(name)} as id, tag, slug or name`);
    return meant;
  });
  if (found.length === 0)
    throw new WrongUsage("--profiles names no profile; give a tag, or comma-separated ids");
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
  throw new WrongUsage(`${more.length + 1} profiles are called ${given}; use an id or a slug`);
}

function meantBy(all: Profile[], name: string): Profile[] {
  if (uuid.test(name)) return all.filter(({ id }) => id === name.toLowerCase());
  const tagged = all.filter(({ tags }) => tags.includes(name));
  return tagged.length > 0 ? tagged : all.filter((profile) => profile.slug === name || profile.name === name);
}
