/** Launches of runs and the cores, with real browsers: which launch waits, and which takes a freed place. */
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { until } from "../gateway/serve.ts";
import { openPool } from "./fixture/pool.ts";
import { nobodyNames } from "./fixture/processes.ts";
import { makeDir, removeDir } from "./fixture/profile.ts";

const idOf = (n: number) => `7f0d2f4e-52f0-4b3c-9a37-${String(n).padStart(12, "0")}`;
const options = { headless: true, diagnostic: false, idleTimeoutSecs: 0 };

async function opened(
  t: { after(end: () => Promise<void>): void },
  ...[max, makeAdmission]: [number, Parameters<typeof openPool>[2]?]
) {
  const dir = await makeDir();
  const { pool } = openPool(dir, max, makeAdmission);
  t.after(async () => {
    await pool.close({});
    await nobodyNames(dir);
    await removeDir(dir);
  });
  const launch = (profileId: string, wait: boolean) =>
    pool.launch({ profileId, options, wait, warmRunner: null });
  const statusOf = async (profileId: string) =>
    (await pool.live({})).find((live) => live.profileId === profileId)?.status ?? "stopped";
  return { pool, launch, statusOf };
}

test("on busy cores, a run's launch waits despite a free slot, and starts while an earlier browser closes", async (t) => {
  const [a, b, c] = [idOf(1), idOf(2), idOf(3)];
  const { pool, launch, statusOf } = await opened(t, 3, () => (working) => working < 1);
  await launch(a, true);
  const next = launch(b, true);
  await until("a launch waits", async () => (await pool.capacity({})).queued === 1);
  await launch(c, false);
  assert.deepEqual(await pool.capacity({}), { active: 2, max: 3, queued: 1, memory_short: false });
  const stopped = pool.stop({ profileId: a });
  assert.deepEqual(await pool.capacity({}), { active: 3, max: 3, queued: 0, memory_short: false });
  assert.notEqual(await statusOf(a), "stopped");
  assert.equal(await statusOf(b), "starting");
  await Promise.all([stopped, next]);
  assert.deepEqual([await statusOf(a), await statusOf(b)], ["stopped", "running"]);
});

test("idle browsers allow more browsers than cores, up to all slots", async (t) => {
  const max = availableParallelism() + 1;
  const { pool, launch } = await opened(t, max);
  await Promise.all(Array.from({ length: max }, (_, n) => launch(idOf(n), true)));
  assert.deepEqual(await pool.capacity({}), { active: max, max, queued: 0, memory_short: false });
});
