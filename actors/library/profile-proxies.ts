/** A profile's proxy: opened for a launch, shown without secrets, stored with sealed credentials. */

import { limits } from "../../protocol/limits.ts";
import type { ProfileSpecProxy } from "../../protocol/profile-spec.ts";
import type { ExitSources, ProxyUpstream } from "../../protocol/proxies.ts";
import type { Profile } from "../../protocol/records.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { readPlace, readPlaces, type StoredProxy } from "../../storage/tables/proxy-pools.ts";
import type { Vault } from "../../storage/vault.ts";
import { settingsNow } from "./settings.ts";

/** Placeholder for the profile's session in a rotating pool's user name or password. */
export const sessionMark = "{session}";

const place = (poolId: string, slot: number) => `proxies/${poolId}/${slot}`;

interface Credentials {
  username: string;
  password: string;
}

export function sealedProxy(
  vault: Vault,
  poolId: string,
  slot: number,
  upstream: ProxyUpstream,
): StoredProxy {
  const { type, host, port, username, password } = upstream;
  const credentials: Credentials | null = username === null ? null : { username, password: password ?? "" };
  return {
    poolId,
    slot,
    type,
    host,
    port,
    credentialsSealed:
      credentials === null ? null : vault.seal(JSON.stringify(credentials), place(poolId, slot)),
  };
}

export function openedProxy(vault: Vault, proxy: StoredProxy, session: string | null): ProxyUpstream {
  const { type, host, port, credentialsSealed } = proxy;
  if (credentialsSealed === null) return { type, host, port, username: null, password: null };
  const credentials: Credentials = JSON.parse(vault.open(credentialsSealed, place(proxy.poolId, proxy.slot)));
  const filled = (text: string) => (session === null ? text : text.replaceAll(sessionMark, session));
  return { type, host, port, username: filled(credentials.username), password: filled(credentials.password) };
}

/** `host:port`; an IPv6 address in brackets. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

export type ListedProxy = Pick<Profile, "proxy" | "proxyPoolId">;

/** Never shows the password (protocol/README.md, "Profile"). */
export function listedProxy({ poolId, type, host, port, credentialsSealed }: StoredProxy): ListedProxy {
  const requiresAuth = credentialsSealed !== null;
  return { proxy: { enabled: true, host, port, proxyType: type, requiresAuth }, proxyPoolId: poolId };
}

export function listedProxies(sql: Reader): Map<string, ListedProxy> {
  return new Map(readPlaces(sql).map(({ profileId, proxy }) => [profileId, listedProxy(proxy)]));
}

export function listedProxyOf(sql: Reader, profileId: string): ListedProxy | null {
  const found = readPlace(sql, profileId);
  return found === null ? null : listedProxy(found.proxy);
}

export function exitSources(sql: Reader): ExitSources {
  const { echoUrls, geoFile } = settingsNow(sql);
  return { echoUrls, geoFile, timeoutMs: limits.echoTimeoutMs };
}

export function specProxyOf(sql: Reader, vault: Vault, profileId: string): ProfileSpecProxy | null {
  const found = readPlace(sql, profileId);
  if (found === null) return null;
  return {
    upstream: openedProxy(vault, found.proxy, found.place.session),
    exit: found.measured.exit,
    sources: exitSources(sql),
  };
}
