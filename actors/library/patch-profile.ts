/** Changes a profile's name, labels, time zone, languages and proxy. */
import { Fault } from "../../protocol/faults.ts";
import type { ProfileKeepingCalls } from "../../protocol/messages/profile-keeping.ts";
import { addressOf, type ProxyUpstream } from "../../protocol/proxies.ts";
import type { PatchProfileBody, ProxyChoice } from "../../protocol/requests.ts";
import { knownTimezone } from "../../protocol/timezones.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import {
  type ProfileLabels,
  type StoredProfile,
  setLabels,
  setLocale,
} from "../../storage/tables/profiles.ts";
import {
  deletePlaces,
  listPools,
  readProxy,
  type StoredPool,
  usesBySlot,
} from "../../storage/tables/proxy-pools.ts";
import type { LibraryContext } from "./context.ts";
import { renamed } from "./profile-keeping.ts";
import type { ProfileList } from "./profile-list.ts";
import { listedProxyOf } from "./profile-proxies.ts";
import { existingProfile } from "./profiles.ts";
import { openedProxy } from "./proxy-credentials.ts";
import { readProxyLines } from "./proxy-lines.ts";
import { existingPool, givePlace, refuseEmpty, storePool } from "./proxy-pools.ts";
import { nextSlots } from "./proxy-slots.ts";

export function patchProfileArea(
  context: LibraryContext,
  list: ProfileList,
): Pick<ProfileKeepingCalls, "patchProfile"> {
  return {
    patchProfile: ({ profileId, patch }) =>
      context.database.write((sql) => {
        const profile = existingProfile(sql, profileId);
        const { id } = profile;
        const labels = labelsOf(profile, patch, list);
        setLabels(sql, id, labels);
        setLocale(sql, id, {
          timezone: patch.timezone === undefined ? profile.timezone : timezoneOf(patch.timezone),
          languages: patch.languages === undefined ? profile.languages : languagesOf(patch.languages ?? []),
        });
        if (patch.proxy !== undefined) changeProxy(context, sql, id, patch.proxy);
        const proxy = listedProxyOf(sql, id);
        list.setLabels(id, labels);
        if (patch.proxy !== undefined) list.setProxy(id, proxy);
        return null;
      }),
  };
}

function labelsOf(profile: StoredProfile, patch: PatchProfileBody, list: ProfileList): ProfileLabels {
  return {
    ...renamed(profile, patch.name, list),
    folder: patch.folder === undefined ? profile.folder : patch.folder,
    groups: patch.groups === undefined ? profile.groups : distinctOf(patch.groups ?? []),
    tags: patch.tags === undefined ? profile.tags : distinctOf(patch.tags ?? []),
  };
}

/** Throws `invalid` for an unknown one; null: the host's. */
export function timezoneOf(given: string | null): string {
  if (given === null) return Intl.DateTimeFormat().resolvedOptions().timeZone;
  const known = knownTimezone(given);
  if (known !== null) return known;
  throw new Fault(
    "invalid",
    `timezone must be an IANA name such as Europe/Berlin, got ${JSON.stringify(given)}`,
  );
}

export function languagesOf(given: string[]): string[] {
  return distinctOf(given.map(languageOf));
}

export function distinctOf(given: string[]): string[] {
  return [...new Set(given)];
}

function languageOf(given: string): string {
  try {
    return new Intl.Locale(given).toString();
  } catch {
    throw new Fault("invalid", `languages must hold BCP 47 tags such as de-AT, got ${JSON.stringify(given)}`);
  }
}

function changeProxy(
  context: LibraryContext,
  sql: Writer,
  profileId: string,
  given: string | ProxyChoice | null,
): void {
  const choice = typeof given === "string" ? choiceOfLine(context, sql, given) : given;
  const pool = choice === null ? null : existingPool(sql, choice.pool_id);
  deletePlaces(sql, [profileId]);
  if (pool !== null) givePlace(sql, pool, profileId, slotIn(sql, pool, choice?.slot));
}

function slotIn(sql: Reader, pool: StoredPool, wanted: number | undefined): number {
  const [slot = 0] = wanted === undefined ? nextSlots(usesBySlot(sql, pool.id), 1) : [wanted];
  if (readProxy(sql, pool.id, slot) !== null) return slot;
  const last = usesBySlot(sql, pool.id).length - 1;
  throw new Fault("invalid", `proxy.slot must be at most ${last} in the pool ${pool.name}, got ${slot}`);
}

/** A pool of its own, or the one that an earlier line with the same proxy made. */
function choiceOfLine(context: LibraryContext, sql: Writer, line: string): ProxyChoice {
  const { proxies, badLines } = readProxyLines([line], "http");
  refuseEmpty("proxy", proxies, badLines);
  const [proxy] = proxies as [ProxyUpstream];
  const name = addressOf(proxy);
  const same = listPools(sql).find((pool) => {
    const known = pool.name === name && pool.entries === 1 ? readProxy(sql, pool.id, 0) : null;
    return (
      known !== null && JSON.stringify(openedProxy(context.vault, known, null)) === JSON.stringify(proxy)
    );
  });
  const pool = same ?? storePool(context, sql, { name, kind: "static", type: proxy.type }, [proxy]);
  return { pool_id: pool.id };
}
