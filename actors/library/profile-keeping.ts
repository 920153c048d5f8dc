/** Edits profiles: changes since a version, names and labels, the trash, restore and deletion. */
import { dirname } from "node:path";
import { Fault } from "../../protocol/faults.ts";
import type { ProfileEdit, ProfileKeepingCalls } from "../../protocol/messages/profile-keeping.ts";
import type { Reader } from "../../storage/sqlite.ts";
import {
  deleteProfiles,
  type ProfileLabels,
  type StoredProfile,
  setLabels,
  setTrashed,
  trashedProfiles,
} from "../../storage/tables/profiles.ts";
import { runUsing } from "../../storage/tables/run-profiles.ts";
import { eachAtMost } from "../kernel/lanes.ts";
import { instant, type LibraryContext } from "./context.ts";
import { checkPlan, slugOf, uniqueSlug } from "./create-profiles.ts";
import { distinctIds } from "./create-run.ts";
import { returnRowsOf } from "./dataset-slots.ts";
import type { ProfileList } from "./profile-list.ts";
import { existingProfile, existingProfileId, specOf } from "./profiles.ts";
import { profileProxyOf } from "./proxy-pools.ts";

const labelsMax = 100;
const removalsAtOnce = 8;

function relabelled(
  what: string,
  have: readonly string[],
  add: readonly string[] = [],
  remove: readonly string[] = [],
): string[] {
  const labels = [...new Set([...have.filter((label) => !remove.includes(label)), ...add])];
  if (labels.length > labelsMax)
    throw new Fault(
      "invalid",
      `a profile has at most ${labelsMax} ${what}, got ${labels.length}; remove some`,
    );
  return labels;
}

/** Throws `invalid` for a name of nothing but spaces. */
export function renamed(profile: StoredProfile, given: string | undefined, list: ProfileList) {
  const name = given?.trim() ?? profile.name;
  if (name === "") throw new Fault("invalid", "name must contain a visible character");
  const own = (slug: string) => slug !== profile.slug && list.hasSlug(slug);
  return { name, slug: name === profile.name ? profile.slug : uniqueSlug(slugOf(name), own) };
}

function edited(profile: StoredProfile, edit: ProfileEdit, list: ProfileList): ProfileLabels {
  return {
    ...renamed(profile, edit.name, list),
    folder: edit.folder === undefined ? profile.folder : edit.folder,
    tags: relabelled("tags", profile.tags, edit.addTags, edit.removeTags),
    groups: relabelled("groups", profile.groups, edit.addGroups, edit.removeGroups),
  };
}

/** Ids of profiles in the trash; null selects all. Throws `not-found`. */
function inTrash(sql: Reader, named: readonly string[] | null): string[] {
  const ids = named === null ? null : distinctIds([...named]);
  const found = trashedProfiles(sql, ids);
  const known = new Set(found);
  const missing = ids?.find((id) => !known.has(id));
  if (missing !== undefined) throw new Fault("not-found", `profile ${missing} is not in the trash`);
  return found;
}

export function profileKeepingArea(
  context: LibraryContext,
  list: ProfileList,
): Omit<ProfileKeepingCalls, "patchProfile"> {
  const { database, disk, dataDir, clock, profileFiles } = context;
  const goingForGood = new Set<string>();
  return {
    profilesSince: ({ since, limit }) => database.read(() => list.since(since, limit)),
    profileDetail: ({ profileId }) =>
      database.read((sql) => {
        const profile = existingProfile(sql, profileId);
        const { os, timezone, languages, fingerprint } = specOf(sql, context, profile);
        return { os, timezone, languages, fingerprint, proxy: profileProxyOf(sql, profile.id) };
      }),
    editProfiles: (edit) =>
      database.write((sql) => {
        const ids = distinctIds(edit.profileIds);
        if (edit.name !== undefined && ids.length > 1)
          throw new Fault(
            "invalid",
            `name can be set for one profile only, got ${ids.length}; omit it for several`,
          );
        const changes = ids.map((id) => ({ id, labels: edited(existingProfile(sql, id), edit, list) }));
        for (const { id, labels } of changes) setLabels(sql, id, labels);
        for (const { id, labels } of changes) list.setLabels(id, labels);
        return null;
      }),
    trashProfiles: ({ profileIds, unlessUsed = false }) =>
      database.write((sql) => {
        const ids = distinctIds(profileIds);
        for (const id of ids) {
          existingProfileId(sql, id);
          const runId = unlessUsed ? runUsing(sql, id) : null;
          if (runId !== null)
            throw new Fault(
              "conflict",
              `run ${runId} uses profile ${id}: cancel the run, or wait until it has ended`,
            );
        }
        const at = instant(clock);
        setTrashed(sql, ids, at);
        for (const id of ids) list.setTrashed(id, at);
        return null;
      }),
    restoreProfiles: ({ profileIds }) =>
      database.write((sql) => {
        const ids = inTrash(sql, profileIds);
        const going = ids.find((id) => goingForGood.has(id));
        if (going !== undefined)
          throw new Fault("conflict", `profile ${going} is being deleted permanently; it cannot be restored`);
        checkPlan(sql, ids.length);
        setTrashed(sql, ids, null);
        for (const id of ids) list.setTrashed(id, null);
        return null;
      }),
    async deleteForGood({ profileIds }) {
      const ids = await database.read((sql) => {
        const found = inTrash(sql, profileIds);
        for (const id of found) goingForGood.add(id);
        return found;
      });
      try {
        // Remove directories before records, so that an interruption leaves no directory without a record.
        await eachAtMost(removalsAtOnce, ids, (id) =>
          profileFiles.alone(id, () => disk.removeTree(dirname(dataDir.userData(id)))),
        );
        return await database.write((sql) => {
          const still = trashedProfiles(sql, ids);
          returnRowsOf(sql, still);
          deleteProfiles(sql, still);
          for (const id of still) list.remove(id);
          return { deleted: still.length };
        });
      } finally {
        for (const id of ids) goingForGood.delete(id);
      }
    },
  };
}
