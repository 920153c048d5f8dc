/** Tests of proxy pools: progress, and calls for a pool that is being tested. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeferred } from "../../../actors/kernel/deferred.ts";
import { until } from "../../gateway/serve.ts";
import { createPool, dead, exitIn } from "../proxy-pools.ts";
import { openOperations } from "./stand-ins.ts";

test("a list shows which proxies have yet to answer, and a second test of the pool joins the first", async (t) => {
  const answers = new Map<string, () => void>();
  let calls = 0;
  const { operations, library } = await openOperations(t, {
    tasks: {
      async measureExits({ upstreams }) {
        calls += 1;
        for (const { host } of upstreams) {
          const { promise, resolve } = createDeferred<void>();
          answers.set(host, resolve);
          await promise;
        }
        return {
          measurements: upstreams.map(({ host }) =>
            host === "proxy-0.example" ? dead : exitIn("FR", "Europe/Paris"),
          ),
        };
      },
    },
  });
  const poolId = await createPool(library, 3);
  const waiting = async () => (await operations.listProxies({ poolId: poolId.toUpperCase() })).waiting;
  assert.deepEqual(await waiting(), []);
  const first = operations.testProxies({ poolId });
  await until("all are being measured", () => answers.size === 3);
  assert.deepEqual(await waiting(), [0, 1, 2]);
  const second = operations.testProxies({ poolId: poolId.toUpperCase() });
  answers.get("proxy-1.example")?.();
  await until("one has answered", async () => (await waiting()).length === 2);
  for (const answer of answers.values()) answer();
  assert.deepEqual(await Promise.all([first, second]), [
    { alive: 2, dead: 1 },
    { alive: 2, dead: 1 },
  ]);
  assert.equal(calls, 3);
  const { proxies } = await operations.listProxies({ poolId });
  assert.deepEqual(
    proxies.map(({ exit }) => exit?.country ?? null),
    [null, "FR", "FR"],
  );
  assert.deepEqual(await waiting(), []);
});
