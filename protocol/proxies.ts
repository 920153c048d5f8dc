/** Proxies: the way out that a profile takes, what was measured of it, and the pools that hold them (protocol/README.md, "Proxies"). */
import type { tags } from "typia";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

export type ProxyType = "http" | "socks5" | "residential";

/** A proxy with what it takes to use it. It crosses threads on its way to the bridge, and never leaves the service. */
export interface ProxyUpstream {
  type: ProxyType;
  host: string;
  port: number & tags.Type<"uint32"> & tags.Maximum<65535>;
  /** Null: the proxy asks for none. */
  username: string | null;
  password: string | null;
}

/** What a measurement through a proxy found. What nobody said is null. */
export interface ProxyExit {
  ip: string;
  /** ISO 3166 two-letter code. */
  country: string | null;
  city: string | null;
  /** IANA zone. */
  timezone: string | null;
  latencyMs: Count;
  measuredAt: DateTime;
}

/** Whom to ask for the exit's address and place. */
export interface ExitSources {
  /** Asked through the proxy, in order, until one answers (a setting). */
  echoUrls: string[];
  /** A local file in MaxMind's format; it fills in what the echo service did not say. Null: none. */
  geoFile: string | null;
  /** For each echo service. */
  timeoutMs: number;
}

/** The ends of a measurement: an exit, or why there is none. */
export type ProxyMeasurement = { exit: ProxyExit; error: null } | { exit: null; error: string };

/** Where a profile goes out: its proxy and its place in the pool. */
export interface ProfileProxyPlace {
  poolId: Uuid;
  /** The proxy's index in the pool. */
  slot: Count;
}

/** `static`: a list of proxies, a slot each. `rotating`: one gateway that gives each session an exit of its own. */
export type ProxyPoolKind = "static" | "rotating";

/** A proxy pool as `GET /v1/proxy-pools` lists it. */
export interface ProxyPool {
  id: Uuid;
  name: string;
  /** static: a list of proxies, a slot each. rotating: one gateway that gives each profile an exit of its own. */
  kind: ProxyPoolKind;
  /** Of the lines that named no scheme. */
  type: ProxyType;
  /** How many proxies are in it. */
  entries: Count;
  /** Proxies whose last measurement found an exit. */
  alive: Count;
  /** Proxies whose last measurement failed. Those that are neither have not been measured. */
  dead: Count;
  /** Profiles that go out through it. */
  profiles: Count;
  /** Countries of the exits that were measured, as ISO 3166 two-letter codes, sorted. */
  countries: string[];
  createdAt: DateTime;
}

/** A line that names a proxy; it may hold a password, so that no message repeats it. */
export type ProxyLine = string & tags.MaxLength<2048> & tags.JsonSchemaPlugin<{ writeOnly: true }>;

/** `POST /v1/proxy-pools`. */
export interface CreateProxyPoolBody {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  /**
   * One proxy a line: `host:port`, `host:port:user:password`, `user:password@host:port` or
   * `scheme://[user:password@]host:port` (user and password percent-encoded; scheme http, socks5, socks5h or residential).
   * Blank lines and lines that begin with `#` are passed over.
   */
  lines: ProxyLine[] & tags.MinItems<1> & tags.MaxItems<5000> & tags.JsonSchemaPlugin<{ writeOnly: true }>;
  /** What lines without a scheme are; residential is an http proxy that is billed by traffic. Default http. */
  type?: ProxyType;
}

/** A line that was not taken. */
export interface BadProxyLine {
  /** Its number, from 1. */
  line: Count;
  error: string;
}

export interface CreateProxyPoolReply {
  pool: ProxyPool;
  /** The lines that were not taken; the others are in the pool. */
  badLines: BadProxyLine[];
}

/** `POST /v1/proxy-pools/{id}/assign`. */
export interface AssignProxyPoolBody {
  /** At least one; an id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /** Takes the place of a proxy that a profile has already; without it such a profile is refused, and with it the call. */
  force?: boolean;
}

export interface AssignedProxy extends ProfileProxyPlace {
  profileId: Uuid;
}

export interface AssignProxyPoolReply {
  /** In the order the call named them. A profile that runs goes out through it from its next launch. */
  assigned: AssignedProxy[];
}

/** What a test found of one proxy. */
export interface TestedProxy {
  /** Its index in the pool. */
  slot: Count;
  /** `host:port`. */
  address: Text;
  alive: boolean;
  /** What came out at the other end, and where that is; null when the proxy is dead. */
  exit: ProxyExit | null;
  /** Why it is dead; null when it is alive. */
  error: string | null;
}

/** A proxy of a pool as the application shows it: what the last test found, and whether one is under way. */
export interface PoolProxy {
  /** Its index in the pool. */
  slot: Count;
  /** `host:port`. */
  address: Text;
  type: ProxyType;
  requiresAuth: boolean;
  /** Profiles that go out through it. */
  profiles: Count;
  /** As last found, also when a later test failed; null: never. */
  exit: ProxyExit | null;
  /** Why the last test found no exit; null when it did, and before the first. */
  error: string | null;
}

export interface TestProxyPoolReply {
  poolId: Uuid;
  alive: Count;
  dead: Count;
  /** Every proxy of the pool, by slot. */
  proxies: TestedProxy[];
}

/** `GET /v1/profiles/{id}/proxy`. The password is never part of it. */
export interface ProfileProxyReply {
  /** False: the profile goes out directly, and all else is null. */
  enabled: boolean;
  poolId: Uuid | null;
  poolName: string | null;
  /** Its index in the pool. */
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

/** Request shapes of this area, for RequestShapes. */
export interface ProxyShapes {
  CreateProxyPoolBody: CreateProxyPoolBody;
  AssignProxyPoolBody: AssignProxyPoolBody;
}
