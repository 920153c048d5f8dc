/** Measures the exits of many proxies in parallel, each with its own deadline. */
import type { TasksApi } from "../../protocol/messages/tasks.ts";
import type { ExitSources, ProxyMeasurement, ProxyUpstream } from "../../protocol/proxies.ts";
import { measureExit } from "../proxy-exit/measure.ts";

type Input = Parameters<TasksApi["measureExits"]>[0];

export async function measureExits({ upstreams, sources, deadlineMs, concurrency }: Input) {
  const measurements: ProxyMeasurement[] = [];
  const queue = upstreams.entries();
  const lane = async () => {
    for (const [index, upstream] of queue) {
      measurements[index] = await measuredInTime(upstream, sources, deadlineMs);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, upstreams.length) }, lane));
  return { measurements };
}

/** An exception here is a bug: it fails this proxy only. */
async function measuredInTime(
  upstream: ProxyUpstream,
  sources: ExitSources,
  deadlineMs: number,
): Promise<ProxyMeasurement> {
  try {
    return await measureExit(upstream, sources, AbortSignal.timeout(deadlineMs));
  } catch {
    // Hide the message, because it could contain a password.
    return { exit: null, error: "the measurement failed unexpectedly" };
  }
}
