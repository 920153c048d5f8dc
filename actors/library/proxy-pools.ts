/** Proxy pools: creation, listing, assignment to profiles, measurement results. */
import { randomBytes, randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { ProxyCalls, ProxyToMeasure } from "../../protocol/messages/proxies.ts";
import {
  addressOf,
  type BadProxyLine,
  type ProfileProxyReply,
  type ProxyPool,
  type ProxyUpstream,
} from "../../protocol/proxies.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import { missingProfiles } from "../../storage/tables/profiles.ts";
import {
  deletePlaces,
  insertPool,
  insertProxy,
  listedPool,
  listPools,
  noteProxyMeasured,
  noteSessionMeasured,
  profilesWithProxy,
  readPlace,
  readPool,
  readProxies,
  readProxy,
  removePool,
  renamePool,
  type StoredPool,
  storePlace,
  usesBySlot,
} from "../../storage/tables/proxy-pools.ts";
import { instant, type LibraryContext } from "./context.ts";
import type { ProfileList } from "./profile-list.ts";
import { exitSources, listedProxyOf } from "./profile-proxies.ts";
import { existingProfileId } from "./profiles.ts";
import { openedProxy, sealedProxy, sessionMark } from "./proxy-credentials.ts";
import { readProxyLines } from "./proxy-lines.ts";
import { nextSlots } from "./proxy-slots.ts";

const namedMax = 5;

/** Throws `not-found`. */
export function existingPool(sql: Reader, poolId: string): StoredPool {
  const pool = readPool(sql, poolId.toLowerCase());
  if (pool === null) throw new Fault("not-found", `proxy pool ${poolId} does not exist`);
  return pool;
}

/** Throws `not-found`, `invalid` for a rotating pool (protocol/README.md, "Create profiles"). */
export function poolForNew(sql: Reader, poolId: string): StoredPool {
  const pool = existingPool(sql, poolId);
  if (pool.kind === "rotating") {
    throw new Fault(
      "invalid",
      `proxy_pool_id must name a static pool, got the rotating pool ${poolId}; create the profiles first, then assign it`,
    );
  }
  return pool;
}

/** A unique session id for the gateway of a rotating pool. Hex, which every provider accepts. */
function newSession(pool: StoredPool): string | null {
  return pool.kind === "rotating" ? randomBytes(6).toString("hex") : null;
}

export function givePlace(sql: Writer, pool: StoredPool, profileId: string, slot: number): void {
  storePlace(sql, { profileId, poolId: pool.id, slot, session: newSession(pool) });
}

export function storePool(
  { vault, clock }: LibraryContext,
  sql: Writer,
  pool: Omit<StoredPool, "id" | "createdAt">,
  proxies: ProxyUpstream[],
): ProxyPool {
  const id = randomUUID();
  insertPool(sql, { ...pool, id, createdAt: instant(clock) });
  for (const [slot, proxy] of proxies.entries()) insertProxy(sql, sealedProxy(vault, id, slot, proxy));
  return requiredPool(sql, id);
}

function requiredPool(sql: Reader, id: string): ProxyPool {
  const listed = listedPool(sql, id);
  if (listed === null) throw new TypeError(`pool ${id} is not there after it was written`);
  return listed;
}

export function refuseEmpty(field: string, proxies: ProxyUpstream[], badLines: BadProxyLine[]): void {
  if (proxies.length > 0) return;
  const named = badLines.slice(0, limits.badLinesNamedMax).map(({ line, error }) => `line ${line}: ${error}`);
  const more = badLines.length > named.length ? `; and ${badLines.length - named.length} more` : "";
  const why = named.length === 0 ? "got comments and blank lines only" : `${named.join("; ")}${more}`;
  throw new Fault("invalid", `${field} must name at least one proxy: ${why}`);
}

type PoolCalls =
  | "listProxyPools"
  | "createProxyPool"
  | "createRotatingPool"
  | "listProxies"
  | "renameProxyPool"
  | "deleteProxyPool";

function poolsArea(context: LibraryContext): Pick<LibraryApi, PoolCalls> {
  const { database } = context;
  return {
    listProxyPools: () => database.read(listPools),
    createProxyPool: ({ name, type, lines }) =>
      database.write((sql) => {
        const { proxies, badLines } = readProxyLines(lines, type);
        refuseEmpty("lines", proxies, badLines);
        return { pool: storePool(context, sql, { name, kind: "static", type }, proxies), badLines };
      }),
    createRotatingPool: ({ name, type, line }) =>
      database.write((sql) => {
        const { proxies, badLines } = readProxyLines([line], type);
        refuseEmpty("line", proxies, badLines);
        const held = `${proxies[0]?.username}${proxies[0]?.password}`;
        if (!held.includes(sessionMark)) {
          throw new Fault(
            "invalid",
            `line must hold ${sessionMark} in its user name or password, in place of each profile's session`,
          );
        }
        return storePool(context, sql, { name, kind: "rotating", type }, proxies);
      }),
    listProxies: ({ poolId }) =>
      database.read((sql) => {
        const { id } = existingPool(sql, poolId);
        const uses = usesBySlot(sql, id);
        return readProxies(sql, id).map((proxy, index) => ({
          slot: proxy.slot,
          address: addressOf(proxy),
          type: proxy.type,
          requiresAuth: proxy.credentialsSealed !== null,
          profiles: uses[index] ?? 0,
          exit: proxy.exit,
          error: proxy.error,
        }));
      }),
    renameProxyPool: ({ poolId, name }) =>
      database.write((sql) => {
        const { id } = existingPool(sql, poolId);
        renamePool(sql, id, name);
        return requiredPool(sql, id);
      }),
    deleteProxyPool: ({ poolId }) =>
      database.write((sql) => {
        const { id, name } = existingPool(sql, poolId);
        const profiles = usesBySlot(sql, id).reduce((sum, uses) => sum + uses, 0);
        if (profiles > 0) {
          const use = profiles === 1 ? "profile uses" : "profiles use";
          throw new Fault(
            "conflict",
            `${profiles} ${use} the proxy pool ${name}; assign another pool to them first`,
          );
        }
        removePool(sql, id);
        return null;
      }),
  };
}

/** Throws `conflict` for profiles that do not exist, or that have a proxy unless `force` is set. */
function refuseProfiles(sql: Reader, profileIds: string[], force: boolean): void {
  const named = (ids: string[]) => {
    const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : "";
    return `profile ${ids.slice(0, namedMax).join(", ")}${more}`;
  };
  const missing = missingProfiles(sql, profileIds);
  if (missing.length > 0) {
    throw new Fault("conflict", `${named(missing)} ${missing.length === 1 ? "does" : "do"} not exist`);
  }
  const held = force ? [] : profilesWithProxy(sql, profileIds);
  if (held.length > 0) {
    const have = held.length === 1 ? "has" : "have";
    throw new Fault("conflict", `${named(held)} ${have} a proxy already; force true replaces it`);
  }
}

function assignArea({ database }: LibraryContext, list: ProfileList): Pick<LibraryApi, "assignProxyPool"> {
  return {
    assignProxyPool: ({ poolId, force, ...input }) =>
      database.write((sql) => {
        const pool = existingPool(sql, poolId);
        const profileIds = [...new Set(input.profileIds.map((id) => id.toLowerCase()))];
        refuseProfiles(sql, profileIds, force);
        deletePlaces(sql, profileIds);
        const slots = nextSlots(usesBySlot(sql, pool.id), profileIds.length);
        const assigned = slots.map((slot, index) => ({
          profileId: profileIds[index] ?? "",
          poolId: pool.id,
          slot,
        }));
        for (const { profileId, slot } of assigned) givePlace(sql, pool, profileId, slot);
        const shown = assigned.map(({ profileId }) => [profileId, listedProxyOf(sql, profileId)] as const);
        for (const [profileId, proxy] of shown) list.setProxy(profileId, proxy);
        return { assigned };
      }),
  };
}

type MeasureCalls = "proxiesToTest" | "proxiesForNew" | "proxiesTested" | "exitMeasured" | "profileProxy";

function measuredArea({ database, vault }: LibraryContext): Pick<ProxyCalls, MeasureCalls> {
  // A test gets its own session, because it must not use up a profile's session of a rotating pool.
  const measurable = (sql: Reader, pool: StoredPool, slots: number[] | null): ProxyToMeasure[] => {
    const session = newSession(pool);
    const proxies =
      slots === null
        ? readProxies(sql, pool.id)
        : [...new Set(slots)].map((slot) => readProxy(sql, pool.id, slot)).filter((proxy) => proxy !== null);
    return proxies.map((proxy) => {
      return { slot: proxy.slot, upstream: openedProxy(vault, proxy, session), exit: proxy.exit };
    });
  };
  return {
    proxiesToTest: ({ poolId }) =>
      database.read((sql) => ({
        proxies: measurable(sql, existingPool(sql, poolId), null),
        sources: exitSources(sql),
      })),
    proxiesForNew: ({ poolId, count }) =>
      database.read((sql) => {
        const pool = poolForNew(sql, poolId);
        const slots = nextSlots(usesBySlot(sql, pool.id), count);
        return { proxies: measurable(sql, pool, slots), sources: exitSources(sql) };
      }),
    proxiesTested: ({ poolId, measured }) =>
      database.write((sql) => {
        const id = poolId.toLowerCase();
        for (const { slot, measurement } of measured) noteProxyMeasured(sql, id, slot, measurement);
        return null;
      }),
    exitMeasured: ({ profileId, host, port, measurement }) =>
      database.write((sql) => {
        const found = readPlace(sql, profileId.toLowerCase());
        if (found === null || found.proxy.host !== host || found.proxy.port !== port) return null;
        const { place } = found;
        if (place.session !== null) noteSessionMeasured(sql, place.profileId, measurement);
        else noteProxyMeasured(sql, place.poolId, place.slot, measurement);
        return null;
      }),
    profileProxy: ({ profileId }) =>
      database.read((sql) => profileProxyOf(sql, existingProfileId(sql, profileId))),
  };
}

/** Without secrets. */
export function profileProxyOf(sql: Reader, profileId: string): ProfileProxyReply {
  const found = readPlace(sql, profileId);
  const { place, proxy, measured } = found ?? { place: null, proxy: null, measured: null };
  return {
    enabled: found !== null,
    poolId: place?.poolId ?? null,
    poolName: place === null ? null : existingPool(sql, place.poolId).name,
    slot: place?.slot ?? null,
    address: proxy === null ? null : addressOf(proxy),
    proxyType: proxy?.type ?? null,
    requiresAuth: proxy?.credentialsSealed != null,
    geo: measured?.exit ?? null,
    error: measured?.error ?? null,
  };
}

export function proxyPoolsArea(context: LibraryContext, list: ProfileList): ProxyCalls {
  return { ...poolsArea(context), ...assignArea(context, list), ...measuredArea(context) };
}
