/** Tables of proxy pools, their proxies, and the profiles that use them. */
import type {
  ProxyExit,
  ProxyMeasurement,
  ProxyPool,
  ProxyPoolKind,
  ProxyType,
} from "../../protocol/proxies.ts";
import { blobOrNull, integer, json, text, textOrNull, word } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredPool {
  id: string;
  name: string;
  kind: ProxyPoolKind;
  type: ProxyType;
  createdAt: string;
}

export interface StoredProxy {
  poolId: string;
  slot: number;
  type: ProxyType;
  host: string;
  port: number;
  /** Sealed JSON of user name and password; null without credentials. */
  credentialsSealed: Uint8Array | null;
}

/** The last measurement. A failed one keeps the previous exit. */
export interface StoredMeasurement {
  exit: ProxyExit | null;
  error: string | null;
}

export interface StoredPlace {
  profileId: string;
  poolId: string;
  slot: number;
  /** The profile's session id at a rotating pool's gateway; null in a static pool. */
  session: string | null;
}

const kinds: readonly ProxyPoolKind[] = ["static", "rotating"];
const types: readonly ProxyType[] = ["http", "socks5", "residential"];
const proxyColumns = "proxies.pool_id, proxies.slot, proxies.type, host, port, credentials_sealed";

function poolOf(row: Row): StoredPool {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    kind: word(row, "kind", kinds),
    type: word(row, "type", types),
    createdAt: text(row, "created_at"),
  };
}

function proxyOf(row: Row): StoredProxy {
  return {
    poolId: text(row, "pool_id"),
    slot: integer(row, "slot"),
    type: word(row, "type", types),
    host: text(row, "host"),
    port: integer(row, "port"),
    credentialsSealed: blobOrNull(row, "credentials_sealed"),
  };
}

function measurementOf(row: Row): StoredMeasurement {
  return {
    exit: row.exit === null ? null : json<ProxyExit>(row, "exit"),
    error: textOrNull(row, "error"),
  };
}

function placeOf(row: Row): StoredPlace {
  return {
    profileId: text(row, "profile_id"),
    poolId: text(row, "pool_id"),
    slot: integer(row, "slot"),
    session: textOrNull(row, "session"),
  };
}

export function readPool(sql: Reader, id: string): StoredPool | null {
  const row = sql.first("SELECT id, name, kind, type, created_at FROM proxy_pools WHERE id = ?", [id]);
  return row === undefined ? null : poolOf(row);
}

// A rotating pool has one proxy but an exit per profile, so its countries come from the profiles.
const listing = `
SELECT id, name, kind, type, created_at,
  (SELECT count(*) FROM proxies WHERE pool_id = id) AS entries,
  (SELECT count(*) FROM proxies WHERE pool_id = id AND exit IS NOT NULL AND error IS NULL) AS alive,
  (SELECT count(*) FROM proxies WHERE pool_id = id AND error IS NOT NULL) AS dead,
  (SELECT count(*) FROM profile_proxies WHERE pool_id = id) AS profiles,
  (SELECT json_group_array(country) FROM (
    SELECT json_extract(exit, '$.country') AS country FROM proxies WHERE pool_id = id
    UNION SELECT json_extract(exit, '$.country') FROM profile_proxies WHERE pool_id = id
    ORDER BY country) WHERE country IS NOT NULL) AS countries
FROM proxy_pools`;

function listedOf(row: Row): ProxyPool {
  return {
    ...poolOf(row),
    entries: integer(row, "entries"),
    alive: integer(row, "alive"),
    dead: integer(row, "dead"),
    profiles: integer(row, "profiles"),
    countries: json<string[]>(row, "countries"),
  };
}

export function listPools(sql: Reader): ProxyPool[] {
  return sql.all(`${listing} ORDER BY position`).map(listedOf);
}

export function listedPool(sql: Reader, id: string): ProxyPool | null {
  const row = sql.first(`${listing} WHERE id = ?`, [id]);
  return row === undefined ? null : listedOf(row);
}

export function insertPool(sql: Writer, pool: StoredPool): void {
  sql.run("INSERT INTO proxy_pools (id, name, kind, type, created_at) VALUES (?, ?, ?, ?, ?)", [
    pool.id,
    pool.name,
    pool.kind,
    pool.type,
    pool.createdAt,
  ]);
}

export function insertProxy(sql: Writer, proxy: StoredProxy): void {
  sql.run(
    "INSERT INTO proxies (pool_id, slot, type, host, port, credentials_sealed) VALUES (?, ?, ?, ?, ?, ?)",
    [proxy.poolId, proxy.slot, proxy.type, proxy.host, proxy.port, proxy.credentialsSealed],
  );
}

export function readProxies(sql: Reader, poolId: string): (StoredProxy & StoredMeasurement)[] {
  return sql
    .all(`SELECT ${proxyColumns}, exit, error FROM proxies WHERE pool_id = ? ORDER BY slot`, [poolId])
    .map((row) => ({ ...proxyOf(row), ...measurementOf(row) }));
}

export function readProxy(
  sql: Reader,
  poolId: string,
  slot: number,
): (StoredProxy & StoredMeasurement) | null {
  const row = sql.first(`SELECT ${proxyColumns}, exit, error FROM proxies WHERE pool_id = ? AND slot = ?`, [
    poolId,
    slot,
  ]);
  return row === undefined ? null : { ...proxyOf(row), ...measurementOf(row) };
}

export function renamePool(sql: Writer, id: string, name: string): void {
  sql.run("UPDATE proxy_pools SET name = ? WHERE id = ?", [name, id]);
}

/** Also removes its proxies. No profile may use them. */
export function removePool(sql: Writer, id: string): void {
  sql.run("DELETE FROM proxy_pools WHERE id = ?", [id]);
}

/** A failure keeps the previous exit. Ignores a removed proxy. */
export function noteProxyMeasured(sql: Writer, poolId: string, slot: number, found: ProxyMeasurement): void {
  sql.run("UPDATE proxies SET exit = coalesce(?, exit), error = ? WHERE pool_id = ? AND slot = ?", [
    found.exit === null ? null : JSON.stringify(found.exit),
    found.error,
    poolId,
    slot,
  ]);
}

export function usesBySlot(sql: Reader, poolId: string): number[] {
  return sql
    .all(
      `SELECT count(profile_id) AS uses FROM proxies
       LEFT JOIN profile_proxies ON profile_proxies.pool_id = proxies.pool_id AND profile_proxies.slot = proxies.slot
       WHERE proxies.pool_id = ? GROUP BY proxies.slot ORDER BY proxies.slot`,
      [poolId],
    )
    .map((row) => integer(row, "uses"));
}

export function storePlace(sql: Writer, place: StoredPlace): void {
  sql.run(
    "INSERT OR REPLACE INTO profile_proxies (profile_id, pool_id, slot, session, exit, error) VALUES (?, ?, ?, ?, NULL, NULL)",
    [place.profileId, place.poolId, place.slot, place.session],
  );
}

export function deletePlaces(sql: Writer, profileIds: string[]): void {
  sql.run("DELETE FROM profile_proxies WHERE profile_id IN (SELECT value FROM json_each(?))", [
    JSON.stringify(profileIds),
  ]);
}

export function profilesWithProxy(sql: Reader, profileIds: string[]): string[] {
  return sql
    .all(
      "SELECT value FROM json_each(?) WHERE value IN (SELECT profile_id FROM profile_proxies) ORDER BY key",
      [JSON.stringify(profileIds)],
    )
    .map((row) => text(row, "value"));
}

/** A profile's place and proxy, with the measurement of its session or else of the proxy. */
export function readPlace(
  sql: Reader,
  profileId: string,
): { place: StoredPlace; proxy: StoredProxy; measured: StoredMeasurement } | null {
  const row = sql.first(
    `SELECT profile_id, session, ${proxyColumns},
       CASE WHEN session IS NULL THEN proxies.exit ELSE profile_proxies.exit END AS exit,
       CASE WHEN session IS NULL THEN proxies.error ELSE profile_proxies.error END AS error
     FROM profile_proxies JOIN proxies
       ON proxies.pool_id = profile_proxies.pool_id AND proxies.slot = profile_proxies.slot
     WHERE profile_id = ?`,
    [profileId],
  );
  return row === undefined
    ? null
    : { place: placeOf(row), proxy: proxyOf(row), measured: measurementOf(row) };
}

export function readPlaces(sql: Reader): { profileId: string; proxy: StoredProxy }[] {
  return sql
    .all(
      `SELECT profile_id, ${proxyColumns} FROM profile_proxies JOIN proxies
       ON proxies.pool_id = profile_proxies.pool_id AND proxies.slot = profile_proxies.slot`,
    )
    .map((row) => ({ profileId: text(row, "profile_id"), proxy: proxyOf(row) }));
}

export function noteSessionMeasured(sql: Writer, profileId: string, found: ProxyMeasurement): void {
  sql.run("UPDATE profile_proxies SET exit = coalesce(?, exit), error = ? WHERE profile_id = ?", [
    found.exit === null ? null : JSON.stringify(found.exit),
    found.error,
    profileId,
  ]);
}
