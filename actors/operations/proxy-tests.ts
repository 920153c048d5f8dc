/** Tests of proxy pools whose results appear one by one, and the list that shows them. */
import { setTimeout } from "node:timers/promises";
import { limits } from "../../protocol/limits.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { MeasuredSlot, ProxyToMeasure } from "../../protocol/messages/proxies.ts";
import type { ExitSources } from "../../protocol/proxies.ts";
import { eachAtMost } from "../kernel/lanes.ts";
import type { OperationsContext } from "./context.ts";
import { measured } from "./measured.ts";

/** Concurrent calls; each measures so many proxies that all calls together stay within `proxyMeasuresAtOnce`. */
const lanes = 40;
const perCallMax = limits.proxyMeasuresAtOnce / lanes;
const gatherMs = 250;

interface PoolTest {
  waiting: Set<number>;
  ended: Promise<{ alive: number; dead: number }>;
}

export function createProxyTests(
  context: OperationsContext,
): Pick<OperationsApi, "listProxies" | "testProxies"> {
  const { library } = context;
  const tests = new Map<string, PoolTest>();

  const begin = (poolId: string, proxies: ProxyToMeasure[], sources: ExitSources): PoolTest => {
    const waiting = new Set(proxies.map(({ slot }) => slot));
    const ended = testAll(context, { poolId, proxies, sources, waiting }).finally(() => tests.delete(poolId));
    const begun = { waiting, ended };
    tests.set(poolId, begun);
    return begun;
  };
  return {
    async listProxies({ poolId }) {
      const proxies = await library.listProxies({ poolId });
      return { proxies, waiting: [...(tests.get(poolId.toLowerCase())?.waiting ?? [])] };
    },
    async testProxies(input) {
      const poolId = input.poolId.toLowerCase();
      const { proxies, sources } = await library.proxiesToTest({ poolId });
      return (tests.get(poolId) ?? begin(poolId, proxies, sources)).ended;
    },
  };
}

interface Wanted {
  poolId: string;
  proxies: ProxyToMeasure[];
  sources: ExitSources;
  waiting: Set<number>;
}

async function testAll(context: OperationsContext, { poolId, proxies, sources, waiting }: Wanted) {
  const perCall = Math.max(1, Math.min(perCallMax, Math.ceil(proxies.length / lanes)));
  const groups = Array.from({ length: Math.ceil(proxies.length / perCall) }, (_, at) =>
    proxies.slice(at * perCall, (at + 1) * perCall),
  );
  let alive = 0;
  const measuring = (add: (found: MeasuredSlot[]) => void) =>
    eachAtMost(lanes, groups, async (group) => add(await measured(context, group, sources)));
  await keepAsTheyCome<MeasuredSlot>(measuring, async (found) => {
    for (const { slot } of found) waiting.delete(slot);
    alive += found.filter(({ measurement }) => measurement.exit !== null).length;
    await context.library.proxiesTested({ poolId, measured: found });
  });
  return { alive, dead: proxies.length - alive };
}

/** Stores the results of `work` in batches while it runs. Settles when all are stored; throws what `work` or `keep` throws. */
export async function keepAsTheyCome<T>(
  work: (add: (found: T[]) => void) => Promise<unknown>,
  keep: (found: T[]) => Promise<unknown>,
): Promise<void> {
  const found: T[] = [];
  let over = false;
  const working = work((some) => found.push(...some)).finally(() => {
    over = true;
  });
  const keeping = async () => {
    while (!over || found.length > 0) {
      if (!over) await Promise.race([working.catch(() => {}), setTimeout(gatherMs)]);
      if (found.length > 0) await keep(found.splice(0));
    }
  };
  const [worked, kept] = await Promise.allSettled([working, keeping()]);
  if (worked.status === "rejected") throw worked.reason;
  if (kept.status === "rejected") throw kept.reason;
}
