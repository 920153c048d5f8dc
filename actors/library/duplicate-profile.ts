/** Duplicates a profile: its labels, place, variables and proxy; on request its device and files. */
import { randomUUID } from "node:crypto";
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { copyProfileFiles } from "../../storage/profile-copy.ts";
import type { Writer } from "../../storage/sqlite.ts";
import { insertProfile, type StoredProfile } from "../../storage/tables/profiles.ts";
import { readPlace } from "../../storage/tables/proxy-pools.ts";
import { instant, type LibraryContext } from "./context.ts";
import { checkPlan, slugOf, uniqueSlug } from "./create-profiles.ts";
import { refuseInFleet } from "./in-fleet.ts";
import type { ProfileList } from "./profile-list.ts";
import { listedProxyOf } from "./profile-proxies.ts";
import { existingProfile } from "./profiles.ts";
import { existingPool, givePlace } from "./proxy-pools.ts";
import { storedVariables, storeVariables } from "./variables.ts";

type Input = Parameters<LibraryApi["duplicateProfile"]>[0];

export function duplicateProfileArea(
  context: LibraryContext,
  list: ProfileList,
): Pick<LibraryApi, "duplicateProfile"> {
  const { database, dataDir, disk, profileFiles } = context;
  return {
    async duplicateProfile(input) {
      const { id } = await database.read((sql) => {
        checkPlan(sql, input.devices.length);
        const profile = existingProfile(sql, input.profileId);
        if (input.withState) refuseInFleet(sql, profile.id);
        return profile;
      });
      const ids = input.devices.map(() => randomUUID());
      const from = dataDir.userData(id);
      // Copied among the temporary files, which a start removes: a crash leaves no profile directory without a record.
      const copies = ids.map((copy) => ({
        staged: join(dataDir.tmp, copy),
        dir: dirname(dataDir.userData(copy)),
      }));
      try {
        if (input.withState)
          await profileFiles.closed(
            id,
            async () => {
              for (const { staged } of copies) await copyProfileFiles(from, join(staged, basename(from)));
              for (const { staged, dir } of copies) await rename(staged, dir);
            },
            input,
          );
        return await database.write((sql) => store(sql, context, list, input, ids));
      } catch (error) {
        for (const { staged, dir } of copies) for (const made of [staged, dir]) await disk.removeTree(made);
        throw error;
      }
    },
  };
}

function store(
  sql: Writer,
  context: LibraryContext,
  list: ProfileList,
  { profileId, nameTemplate, devices }: Input,
  ids: readonly string[],
): CreateProfilesReply {
  const { vault, clock } = context;
  checkPlan(sql, ids.length);
  const original = existingProfile(sql, profileId);
  const usual = `${original.name.slice(0, 190)} copy${ids.length > 1 ? " {n}" : ""}`;
  const variables = storedVariables(sql, vault, original.id);
  const place = readPlace(sql, original.id)?.place ?? null;
  const slugs = new Set<string>();
  const copies = ids.map((id, index): StoredProfile => {
    const name = (nameTemplate ?? usual).replaceAll("{n}", String(index + 1));
    const slug = uniqueSlug(slugOf(name), (one) => slugs.has(one) || list.hasSlug(one));
    slugs.add(slug);
    const fingerprint = devices[index] ?? original.fingerprint;
    return { ...original, id, name, slug, fingerprint, createdAt: instant(clock), lastUsed: null };
  });
  for (const copy of copies) {
    insertProfile(sql, copy);
    storeVariables(sql, vault, copy.id, variables);
    if (place !== null) givePlace(sql, existingPool(sql, place.poolId), copy.id, place.slot);
  }
  const proxies = copies.map(({ id }) => listedProxyOf(sql, id));
  for (const [index, copy] of copies.entries()) {
    list.put(copy, Object.keys(variables).sort());
    if (place !== null) list.setProxy(copy.id, proxies[index] ?? null);
  }
  const created = copies.map(({ id, name, timezone }) => ({
    name,
    profile_id: id,
    timezone,
    ...(place === null ? {} : { proxy_slot: place.slot }),
  }));
  return { created, failed: [] };
}
