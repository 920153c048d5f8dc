/** Measures many proxies at a time, none of them for longer than its deadline. */
import type { TasksApi } from "../../protocol/messages/tasks.ts";
import type { ExitSources, ProxyMeasurement, ProxyUpstream } from "../../protocol/proxies.ts";
import { measureExit } from "../proxy-exit/measure.ts";

type Input = Parameters<TasksApi["measureExits"]>[0];

/** In the order of `upstreams`; each has an exit, or why not. */
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

/** One that throws is a defect of ours; it costs its own proxy, not the others'. */
async function measuredInTime(
  upstream: ProxyUpstream,
  sources: ExitSources,
  deadlineMs: number,
): Promise<ProxyMeasurement> {
  try {
    return await measureExit(upstream, sources, AbortSignal.timeout(deadlineMs));
  } catch {
    // Its message is not passed on: nobody knows whether it names a password.
    return { exit: null, error: "the measurement broke off" };
  }
}
