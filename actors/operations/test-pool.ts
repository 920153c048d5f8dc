/** A test of a proxy pool whose results arrive together. */
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import { addressOf, type TestedProxy, type TestProxyPoolReply } from "../../protocol/proxies.ts";
import type { OperationsContext } from "./context.ts";
import { measured } from "./measured.ts";

export async function testProxyPool(
  context: OperationsContext,
  { poolId }: Parameters<OperationsApi["testProxyPool"]>[0],
): Promise<TestProxyPoolReply> {
  const { proxies, sources } = await context.library.proxiesToTest({ poolId });
  const found = await measured(context, proxies, sources);
  await context.library.proxiesTested({ poolId, measured: found });
  const tested = found.map(({ slot, measurement }, index): TestedProxy => {
    const { exit, error } = measurement;
    const upstream = proxies[index]?.upstream;
    const address = upstream === undefined ? "" : addressOf(upstream);
    return { slot, address, alive: exit !== null, exit, error };
  });
  const alive = tested.filter((proxy) => proxy.alive).length;
  return { poolId, alive, dead: tested.length - alive, proxies: tested };
}
