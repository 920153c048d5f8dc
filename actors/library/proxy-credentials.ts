/** Seals and opens the user name and password of a proxy. */
import type { ProxyUpstream } from "../../protocol/proxies.ts";
import type { StoredProxy } from "../../storage/tables/proxy-pools.ts";
import type { Vault } from "../../storage/vault.ts";

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
