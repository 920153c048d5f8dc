/** Proxies: what a profile connects through, its measured exit, and pools (protocol/README.md, "Proxies"). */
import type { tags } from "typia";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

export type ProxyType = "http" | "socks5" | "residential";

/** A proxy with its credentials; never leaves the service. */
export interface ProxyUpstream {
  type: ProxyType;
  host: string;
  port: number & tags.Type<"uint32"> & tags.Maximum<65535>;
  /** Null: without authentication. */
  username: string | null;
  password: string | null;
}

/** `host:port`; an IPv6 address in brackets. */
export function addressOf({ host, port }: Pick<ProxyUpstream, "host" | "port">): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Result of a measurement through a proxy. Unknown values are null. */
export interface ProxyExit {
  ip: string;
  /** ISO 3166 two-letter code. */
  country: string | null;
  city: string | null;
  timezone: string | null;
  latencyMs: Count;
  measuredAt: DateTime;
}

/** Where to ask for the exit's address and place. */
export interface ExitSources {
  /** Asked through the proxy, in order, until one answers. */
  echoUrls: string[];
  /** MaxMind file for what the echo services did not say; null: none. */
  geoFile: string | null;
  timeoutMs: number;
}

/** An exit, or why there is none. */
export type ProxyMeasurement = { exit: ProxyExit; error: null } | { exit: null; error: string };

export interface ProfileProxyPlace {
  poolId: Uuid;
  /** The proxy's index in the pool. */
  slot: Count;
}

export type ProxyPoolKind = "static" | "rotating";

/** A proxy pool as `GET /v1/proxy-pools` lists it. */
export interface ProxyPool {
  id: Uuid;
  name: string;
  /** static: a list of proxies, one slot each. rotating: one gateway with an exit of its own for each profile. */
  kind: ProxyPoolKind;
  /** Of lines without a scheme. */
  type: ProxyType;
  /** Number of proxies. */
  entries: Count;
  /** Proxies whose last measurement found an exit. */
  alive: Count;
  /** Proxies whose last measurement failed. The rest has not been measured. */
  dead: Count;
  /** Number of profiles that use it. */
  profiles: Count;
  /** Countries of measured exits: ISO 3166 two-letter codes, sorted. */
  countries: string[];
  createdAt: DateTime;
}

/** A line that names a proxy. It may contain a password, so no message repeats it. */
export type ProxyLine = string & tags.MaxLength<2048> & tags.JsonSchemaPlugin<{ writeOnly: true }>;

export interface CreateProxyPoolBody {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  /**
   * One proxy per line: `host:port`, `host:port:user:password`, `user:password@host:port` or
   * `scheme://[user:password@]host:port` (user and password percent-encoded; scheme http, socks5, socks5h or
   * residential). Blank lines and lines that begin with `#` are ignored.
   */
  lines: ProxyLine[] & tags.MinItems<1> & tags.MaxItems<5000> & tags.JsonSchemaPlugin<{ writeOnly: true }>;
  /** Type of lines without a scheme. residential is an http proxy that is billed by traffic. Default http. */
  type?: ProxyType;
}

export interface PatchProxyPoolBody {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
}

export interface BadProxyLine {
  /** Number of the line, from 1. */
  line: Count;
  error: string;
}

export interface CreateProxyPoolReply {
  pool: ProxyPool;
  /** The other lines are in the pool. */
  badLines: BadProxyLine[];
}

export interface AssignProxyPoolBody {
  /** At least one. An id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /** Replaces a proxy that a profile already has. Without it such a profile refuses the whole call. */
  force?: boolean;
}

export interface AssignedProxy extends ProfileProxyPlace {
  profileId: Uuid;
}

export interface AssignProxyPoolReply {
  /** In the order of the request. A running profile uses its proxy from the next launch. */
  assigned: AssignedProxy[];
}

export interface TestedProxy {
  /** Index in the pool. */
  slot: Count;
  /** `host:port`. */
  address: Text;
  alive: boolean;
  /** Address and place of the exit; null when the proxy is dead. */
  exit: ProxyExit | null;
  /** Why it is dead; null when it is alive. */
  error: string | null;
}

/** A proxy of a pool as the application shows it. */
export interface PoolProxy {
  /** Index in the pool. */
  slot: Count;
  /** `host:port`. */
  address: Text;
  type: ProxyType;
  requiresAuth: boolean;
  /** Number of profiles that use it. */
  profiles: Count;
  /** Last exit found, even if a later test failed; null: never. */
  exit: ProxyExit | null;
  /** Why the last test found no exit; null when it found one, and before the first. */
  error: string | null;
}

export interface TestProxyPoolReply {
  poolId: Uuid;
  alive: Count;
  dead: Count;
  /** Every proxy of the pool, by slot. */
  proxies: TestedProxy[];
}

/** `GET /v1/profiles/{id}/proxy`. Never contains the password. */
export interface ProfileProxyReply {
  /** False: the profile has no proxy, and all else is null. */
  enabled: boolean;
  poolId: Uuid | null;
  poolName: string | null;
  /** Index in the pool. */
  slot: Count | null;
  /** `host:port`. */
  address: string | null;
  proxyType: ProxyType | null;
  requiresAuth: boolean;
  /** Exit address and place as last measured; null: never. */
  geo: ProxyExit | null;
  /** Why the last measurement failed; null when it did not. */
  error: string | null;
}

export interface ProxyShapes {
  CreateProxyPoolBody: CreateProxyPoolBody;
  PatchProxyPoolBody: PatchProxyPoolBody;
  AssignProxyPoolBody: AssignProxyPoolBody;
}
