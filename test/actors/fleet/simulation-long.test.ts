/** Two thousand schedules of faults; `schedules.ts` beside it tries any number. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "./simulation.ts";

test("two thousand schedules of faults break no promise of the fleet", async () => {
  for (let seed = 1; seed <= 2_000; seed += 1) assert.deepEqual(await simulate(seed), [], `seed ${seed}`);
});
