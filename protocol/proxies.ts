/** Proxies: the way out that a profile takes, what was measured of it, and the pools that hold them (SPEC 4.3; DECISIONS, "Proxies"). */
import type { tags } from "typia";
import type { Count, DateTime, Uuid } from "./scalars.ts";

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
