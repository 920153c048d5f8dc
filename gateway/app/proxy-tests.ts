/** Proxy pools as the application handles them: tests whose findings are seen as they come, and pools taken away. */
import { setTimeout } from "node:timers/promises";
import { limits } from "../../protocol/limits.ts";
import type { AppApi } from "../../protocol/messages/app.ts";
import type { MeasuredSlot, ProxyToMeasure } from "../../protocol/messages/proxies.ts";
import type { ExitSources } from "../../protocol/proxies.ts";
import type { Actors } from "../actors.ts";
import { measured } from "../exits.ts";

/** Measurements asked for at once; each is of so many proxies that all together are `proxyMeasuresAtOnce` at most. */
const lanes = 40;
const perCallMax = limits.proxyMeasuresAtOnce / lanes;
/** Findings that come close together are kept as one. */
const gatherMs = 250;

interface PoolTest {
  /** Slots that have not answered. */
  waiting: Set<number>;
  ended: Promise<{ alive: number; dead: number }>;
}

export function proxyCalls(actors: Actors): Pick<AppApi, "listProxies" | "testProxies" | "deleteProxyPool"> {
  const { library } = actors;
  const tests = new Map<string, PoolTest>();

  const begin = (poolId: string, proxies: ProxyToMeasure[], sources: ExitSources): PoolTest => {
    const waiting = new Set(proxies.map(({ slot }) => slot));
    const ended = testAll(actors, { poolId, proxies, sources, waiting }).finally(() => tests.delete(poolId));
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
    deleteProxyPool: (input) => library.deleteProxyPool(input),
  };
}

interface Wanted {
  poolId: string;
  proxies: ProxyToMeasure[];
  sources: ExitSources;
  waiting: Set<number>;
}

async function testAll(actors: Actors, { poolId, proxies, sources, waiting }: Wanted) {
  const perCall = Math.max(1, Math.min(perCallMax, Math.ceil(proxies.length / lanes)));
  const groups = Array.from({ length: Math.ceil(proxies.length / perCall) }, (_, at) =>
    proxies.slice(at * perCall, (at + 1) * perCall),
  ).values();
  const found: MeasuredSlot[] = [];
  let alive = 0;
  let over = false;
  const lane = async () => {
    for (const group of groups) found.push(...(await measured(actors, group, sources)));
  };
  const measuring = Promise.all(Array.from({ length: lanes }, lane)).finally(() => {
    over = true;
  });
  const keeping = async () => {
    while (!over) {
      await Promise.race([measuring, setTimeout(gatherMs)]);
      const now = found.splice(0);
      for (const { slot } of now) waiting.delete(slot);
      alive += now.filter(({ measurement }) => measurement.exit !== null).length;
      if (now.length > 0) await actors.library.proxiesTested({ poolId, measured: now });
    }
  };
  await Promise.all([measuring, keeping()]);
  return { alive, dead: proxies.length - alive };
}
