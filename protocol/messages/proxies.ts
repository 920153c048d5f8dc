/** The library's calls about proxies: pools, assignments, measurements. */
import type {
  AssignProxyPoolReply,
  CreateProxyPoolReply,
  ExitSources,
  PoolProxy,
  ProfileProxyReply,
  ProxyExit,
  ProxyMeasurement,
  ProxyPool,
  ProxyType,
  ProxyUpstream,
} from "../proxies.ts";
import type { Count, Uuid } from "../scalars.ts";

/** `detail.code`: other profiles took the measured proxies, so measure the next ones. */
export const proxySlotsTaken = "proxy-slots-taken";

export interface ProxyToMeasure {
  slot: Count;
  upstream: ProxyUpstream;
  exit: ProxyExit | null;
}

export interface MeasuredSlot {
  slot: Count;
  measurement: ProxyMeasurement;
}

export interface NewProfilesPool {
  poolId: Uuid;
  measured: MeasuredSlot[];
}

export interface ProxyCalls {
  listProxyPools(input: Record<string, never>): Promise<ProxyPool[]>;
  /** Keeps the good lines. Throws `invalid` (no good line), without a part of any line in the message. */
  createProxyPool(input: { name: string; type: ProxyType; lines: string[] }): Promise<CreateProxyPoolReply>;
  /** `line` has `{session}` in its user or password; each profile gets a session. Throws `invalid`. */
  createRotatingPool(input: { name: string; type: ProxyType; line: string }): Promise<ProxyPool>;
  /** Least used first; all or none. Throws `not-found` (pool), `conflict` (unknown profile; one with a proxy, without `force`). */
  assignProxyPool(input: { poolId: Uuid; profileIds: Uuid[]; force: boolean }): Promise<AssignProxyPoolReply>;
  /** By slot, without secrets. Throws `not-found`. */
  listProxies(input: { poolId: Uuid }): Promise<PoolProxy[]>;
  /** Throws `not-found`, `conflict` (profiles use it). */
  deleteProxyPool(input: { poolId: Uuid }): Promise<null>;
  /** Throws `not-found`. */
  renameProxyPool(input: { poolId: Uuid; name: string }): Promise<ProxyPool>;
  /** By slot. Throws `not-found`. */
  proxiesToTest(input: { poolId: Uuid }): Promise<{ proxies: ProxyToMeasure[]; sources: ExitSources }>;
  /** The next proxies for new profiles. Throws `not-found`, `invalid` (rotating pool; protocol/README.md, "Create profiles"). */
  proxiesForNew(input: {
    poolId: Uuid;
    count: Count;
  }): Promise<{ proxies: ProxyToMeasure[]; sources: ExitSources }>;
  /** Ignores a pool that is gone. */
  proxiesTested(input: { poolId: Uuid; measured: MeasuredSlot[] }): Promise<null>;
  /** What a launch measured; ignored when the profile's proxy is no longer at `host` and `port`. */
  exitMeasured(input: {
    profileId: Uuid;
    host: string;
    port: Count;
    measurement: ProxyMeasurement;
  }): Promise<null>;
  /** Throws `not-found` (profile). */
  profileProxy(input: { profileId: Uuid }): Promise<ProfileProxyReply>;
}
