/** Creates profiles: names, slugs and plan limit. Allotments supply the rest. */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi, NewProfiles } from "../../protocol/messages/library.ts";
import type { CreatedProfile, CreateProfilesReply } from "../../protocol/requests.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import { countProfiles, insertProfile, type StoredProfile } from "../../storage/tables/profiles.ts";
import type { Allotment, AllotmentKind, Grant } from "./allotment.ts";
import { allotmentKinds } from "./allotments.ts";
import { instant, type LibraryContext } from "./context.ts";
import { showDatasets } from "./dataset-slots.ts";
import type { ProfileList } from "./profile-list.ts";
import { listedProxyOf } from "./profile-proxies.ts";
import { settingsNow } from "./settings.ts";

/** Lower-case name, non-alphanumerics to `-` (protocol/README.md, "Profile"). Accents are removed; other scripts leave nothing. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return slug === "" ? "profile" : slug;
}

/** Appends `-2`, `-3`, … until the slug is unique. */
export function uniqueSlug(slug: string, taken: (slug: string) => boolean): string {
  let candidate = slug;
  for (let n = 2; taken(candidate); n++) candidate = `${slug}-${n}`;
  return candidate;
}

function nameOf(template: string, index: number): string {
  return template.replaceAll("{n}", String(index + 1));
}

/** Throws `forbidden` if the plan does not allow `more` profiles. */
export function checkPlan(sql: Reader, more: number): void {
  const { plan } = settingsNow(sql);
  const have = countProfiles(sql);
  if (have + more > plan.profilesMax) {
    throw new Fault(
      "forbidden",
      `the plan ${plan.name} allows ${plan.profilesMax} profiles: there are ${have}, and ${more} more were requested`,
    );
  }
}

function createOne(sql: Writer, profile: StoredProfile, grants: Grant[]): CreatedProfile {
  insertProfile(sql, profile);
  for (const grant of grants) grant.settle(sql, profile);
  const entry: CreatedProfile = { name: profile.name, profile_id: profile.id, timezone: profile.timezone };
  for (const grant of grants) Object.assign(entry, grant.reply);
  return entry;
}

function offered(sql: Reader, allotments: Allotment[], index: number): Grant[] | Fault {
  try {
    return allotments.map((allotment) => allotment.offer(sql, index));
  } catch (error) {
    if (error instanceof Fault && error.kind !== "internal") return error;
    throw error;
  }
}

export function createProfilesArea(
  context: LibraryContext,
  list: ProfileList,
  kinds: readonly AllotmentKind[] = allotmentKinds,
): Pick<LibraryApi, "createProfiles"> {
  const create = (sql: Writer, input: NewProfiles): CreateProfilesReply => {
    const { nameTemplate, os, tags, timezone, languages, devices } = input;
    checkPlan(sql, devices.length);
    const allotments = kinds.map((kind) => kind(context, sql, input)).filter((kind) => kind !== null);
    const shared = {
      os,
      folder: null,
      groups: [],
      tags,
      createdAt: instant(context.clock),
      lastUsed: null,
      trashedAt: null,
    };
    const slugs = new Set<string>();
    const stored: StoredProfile[] = [];
    const reply: CreateProfilesReply = { created: [], failed: [] };
    for (const [index, fingerprint] of devices.entries()) {
      const grants = offered(sql, allotments, index);
      if (grants instanceof Fault) {
        reply.failed.push({ error: grants.message, index });
        continue;
      }
      const name = nameOf(nameTemplate, index);
      const slug = uniqueSlug(slugOf(name), (candidate) => slugs.has(candidate) || list.hasSlug(candidate));
      const profile: StoredProfile = {
        id: randomUUID(),
        name,
        slug,
        ...shared,
        timezone,
        languages,
        fingerprint,
      };
      for (const grant of grants) Object.assign(profile, grant.profile);
      reply.created.push(createOne(sql, profile, grants));
      slugs.add(slug);
      stored.push(profile);
    }
    const [first] = reply.failed;
    if (stored.length === 0 && first !== undefined) {
      throw new Fault("conflict", `no profile could be created: ${first.error}`);
    }
    for (const profile of stored) {
      list.put(profile, []);
      if (input.proxyPool !== undefined) list.setProxy(profile.id, listedProxyOf(sql, profile.id));
    }
    if (input.identityDatasetId !== undefined || input.contentDatasetId !== undefined) {
      showDatasets(
        sql,
        list,
        stored.map((profile) => profile.id),
      );
    }
    return reply;
  };
  return { createProfiles: (input) => context.database.write((sql) => create(sql, input)) };
}
