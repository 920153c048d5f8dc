/** A profile's proxy: opened for a launch, and listed without secrets. */

import { limits } from "../../protocol/limits.ts";
import type { ProfileSpecProxy } from "../../protocol/profile-spec.ts";
import type { ExitSources } from "../../protocol/proxies.ts";
import type { Profile } from "../../protocol/records.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { readPlace, readPlaces, type StoredProxy } from "../../storage/tables/proxy-pools.ts";
import type { Vault } from "../../storage/vault.ts";
import { openedProxy } from "./proxy-credentials.ts";
import { settingsNow } from "./settings.ts";

export type ListedProxy = Pick<Profile, "proxy" | "proxyPoolId">;

/** Never shows the password (protocol/README.md, "Profile"). */
function listedProxy({ poolId, type, host, port, credentialsSealed }: StoredProxy): ListedProxy {
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
