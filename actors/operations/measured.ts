/** Measures the exits of proxies that the library chose, on a task thread. */
import { limits } from "../../protocol/limits.ts";
import type { MeasuredSlot, ProxyToMeasure } from "../../protocol/messages/proxies.ts";
import type { ExitSources } from "../../protocol/proxies.ts";
import type { OperationsContext } from "./context.ts";

export async function measured(
  { tasks }: Pick<OperationsContext, "tasks">,
  proxies: ProxyToMeasure[],
  sources: ExitSources,
): Promise<MeasuredSlot[]> {
  if (proxies.length === 0) return [];
  const { measurements } = await tasks.measureExits({
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
