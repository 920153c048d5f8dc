/** Creating profiles: their names, their slugs, and the plan's limit. */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { countProfiles, insertProfile, type StoredProfile } from "../../storage/tables/profiles.ts";
import type { ProfileList } from "./profile-list.ts";
import { instant, type Room } from "./room.ts";
import { settingsNow } from "./settings.ts";

/** Lower-case name, non-alphanumerics to `-` (DECISIONS, "Profiles"); letters with accents lose them, other scripts have none left. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return slug === "" ? "profile" : slug;
}

/** The slug itself, or with the first of `-2`, `-3`, … that makes it unique. */
export function uniqueSlug(slug: string, taken: (slug: string) => boolean): string {
  let candidate = slug;
  for (let n = 2; taken(candidate); n++) candidate = `${slug}-${n}`;
  return candidate;
}

/** `{n}` is replaced by 1, 2, … */
function nameOf(template: string, index: number): string {
  return template.replaceAll("{n}", String(index + 1));
}

export function createProfilesArea(
  { database, clock }: Room,
  list: ProfileList,
): Pick<LibraryApi, "createProfiles"> {
  return {
    createProfiles: ({ count, nameTemplate, os, tags, timezone }) =>
      database.write((sql) => {
        const { plan } = settingsNow(sql);
        const have = countProfiles(sql);
        if (have + count > plan.profilesMax) {
          throw new Fault(
            "forbidden",
            `the plan ${plan.name} allows ${plan.profilesMax} profiles: there are ${have}, and ${count} more were asked for`,
          );
        }
        const createdAt = instant(clock);
        const taken = new Set<string>();
        const created: StoredProfile[] = [];
        for (let index = 0; index < count; index++) {
          const name = nameOf(nameTemplate, index);
          const slug = uniqueSlug(
            slugOf(name),
            (candidate) => taken.has(candidate) || list.hasSlug(candidate),
          );
          taken.add(slug);
          const profile = {
            id: randomUUID(),
            name,
            slug,
            os,
            folder: null,
            groups: [],
            tags,
            timezone,
            createdAt,
            lastUsed: null,
          };
          insertProfile(sql, profile);
          created.push(profile);
        }
        // Last, when nothing can throw any more: the list knows no rollback.
        for (const profile of created) list.put(profile, []);
        return {
          created: created.map((profile) => ({ name: profile.name, profile_id: profile.id, timezone })),
          failed: [],
        };
      }),
  };
}
