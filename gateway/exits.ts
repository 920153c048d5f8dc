/** Measures proxy exits: the library chooses the proxies and stores the results, a task thread measures. */
import { limits } from "../protocol/limits.ts";
import type { MeasuredSlot, ProxyToMeasure } from "../protocol/messages/proxies.ts";
import {
  addressOf,
  type ExitSources,
  type TestedProxy,
  type TestProxyPoolReply,
} from "../protocol/proxies.ts";
import type { Actors } from "./actors.ts";

export async function measured(
  actors: Actors,
  proxies: ProxyToMeasure[],
  sources: ExitSources,
): Promise<MeasuredSlot[]> {
  if (proxies.length === 0) return [];
  const { measurements } = await actors.tasks.measureExits({
    upstreams: proxies.map((proxy) => proxy.upstream),
    sources,
    deadlineMs: limits.proxyMeasureTimeoutMs,
    concurrency: limits.proxyMeasuresAtOnce,
  });
  return measurements.flatMap((measurement, index) => {
    const proxy = proxies[index];
    return proxy === undefined ? [] : [{ slot: proxy.slot, measurement }];
  });
}

/** Throws `not-found`. */
export async function testPool(actors: Actors, poolId: string): Promise<TestProxyPoolReply> {
  const { proxies, sources } = await actors.library.proxiesToTest({ poolId });
  const found = await measured(actors, proxies, sources);
  await actors.library.proxiesTested({ poolId, measured: found });
  const tested = found.map(({ slot, measurement }, index): TestedProxy => {
    const { exit, error } = measurement;
    const upstream = proxies[index]?.upstream;
    const address = upstream === undefined ? "" : addressOf(upstream);
    return { slot, address, alive: exit !== null, exit, error };
  });
  const alive = tested.filter((proxy) => proxy.alive).length;
  return { poolId, alive, dead: tested.length - alive, proxies: tested };
}
