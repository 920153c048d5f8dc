/** What the library may be asked about proxies: pools, who goes out through which, what was measured. */
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

/** `detail.code` of the fault that says: other profiles took the proxies that were measured; measure those that come next. */
export const proxySlotsTaken = "proxy-slots-taken";

/** A proxy of a pool, ready to be measured. */
export interface ProxyToMeasure {
  slot: Count;
  upstream: ProxyUpstream;
  /** As last measured. */
  exit: ProxyExit | null;
}

/** What was measured of a proxy of a pool. */
export interface MeasuredSlot {
  slot: Count;
  measurement: ProxyMeasurement;
}

/** The pool that new profiles go out through, and what was measured of its proxies just before. */
export interface NewProfilesPool {
  poolId: Uuid;
  measured: MeasuredSlot[];
}

/** The part of LibraryApi that is about proxies. */
export interface ProxiesApi {
  listProxyPools(input: Record<string, never>): Promise<ProxyPool[]>;
  /** Keeps the good lines. Throws `invalid` (no good line), whose message names no part of a line. */
  createProxyPool(input: { name: string; type: ProxyType; lines: string[] }): Promise<CreateProxyPoolReply>;
  /**
   * For the application: a pool of one gateway, whose user name or password holds `{session}`; each profile is given a
   * session of its own. Throws `invalid` (the line is bad, or holds no `{session}`).
   */
  createRotatingPool(input: { name: string; type: ProxyType; line: string }): Promise<ProxyPool>;
  /**
   * Gives each profile a proxy of the pool, the least used first; all or nothing. Throws `not-found` (pool), `conflict`
   * (a profile does not exist, or has a proxy already and `force` is false).
   */
  assignProxyPool(input: { poolId: Uuid; profileIds: Uuid[]; force: boolean }): Promise<AssignProxyPoolReply>;
  /** For the application: every proxy of the pool, by slot, with no secret of it. Throws `not-found`. */
  listProxies(input: { poolId: Uuid }): Promise<PoolProxy[]>;
  /** For the application. Throws `not-found`, `conflict` (profiles go out through it). */
  deleteProxyPool(input: { poolId: Uuid }): Promise<null>;
  /** Every proxy of the pool, by slot. Throws `not-found`. */
  proxiesToTest(input: { poolId: Uuid }): Promise<{ proxies: ProxyToMeasure[]; sources: ExitSources }>;
  /**
   * The proxies that `count` new profiles would be given now. Throws `not-found`, `invalid` (a rotating pool; protocol/README.md, "Create profiles",
   * create).
   */
  proxiesForNew(input: {
    poolId: Uuid;
    count: Count;
  }): Promise<{ proxies: ProxyToMeasure[]; sources: ExitSources }>;
  /** Keeps what a test found. A pool that is gone is passed over. */
  proxiesTested(input: { poolId: Uuid; measured: MeasuredSlot[] }): Promise<null>;
  /**
   * Keeps what a launch found of its profile's way out; passed over when the profile's proxy is not at `host` and `port`
   * any more.
   */
  exitMeasured(input: {
    profileId: Uuid;
    host: string;
    port: Count;
    measurement: ProxyMeasurement;
  }): Promise<null>;
  /** Throws `not-found` (profile). */
  profileProxy(input: { profileId: Uuid }): Promise<ProfileProxyReply>;
}
