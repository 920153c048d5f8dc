/** Proxy pools for tests of the library, with invented proxies and measurements. */
import type { Library } from "../../actors/library/library.ts";
import type { MeasuredSlot } from "../../protocol/messages/proxies.ts";
import type { ProxyMeasurement } from "../../protocol/proxies.ts";
import { plainDevices } from "./devices.ts";

export const nobody = "00000000-0000-4000-8000-000000000000";
export const password = "correct-horse-battery-staple";
const measuredAt = "2026-01-01T00:00:00.000Z";

const lines = (count: number) =>
  Array.from({ length: count }, (_, slot) => `proxy-${slot}.example:8080:customer-7:${password}`);

export async function createPool(library: Library, count: number): Promise<string> {
  const { pool } = await library.createProxyPool({ name: "Pool", type: "http", lines: lines(count) });
  return pool.id;
}

export function exitIn(country: string | null, timezone: string | null): ProxyMeasurement {
  return {
    exit: { ip: "203.0.113.9", country, city: null, timezone, latencyMs: 40, measuredAt },
    error: null,
  };
}

export const dead: ProxyMeasurement = { exit: null, error: "connection refused" };

export function createBehind(library: Library, poolId: string, count: number, measured: MeasuredSlot[]) {
  return library.createProfiles({
    nameTemplate: "Behind {n}",
    os: "linux",
    tags: [],
    timezone: "Europe/Berlin",
    languages: [],
    devices: plainDevices(count),
    proxyPool: { poolId, measured },
  });
}

export const slotsOf = ({ assigned }: { assigned: { slot: number }[] }) => assigned.map(({ slot }) => slot);
