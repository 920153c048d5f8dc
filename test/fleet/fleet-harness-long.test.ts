/** Eight workers, 400 parts and sixty faults: half an hour and more. On demand: `npm test -- fleet-harness`. */
import { test } from "node:test";
import { assertSound, runHarness } from "./harness.ts";
import { needsPostgres } from "./postgres.ts";

test("sixty faults open no profile twice, and each part has one end", needsPostgres, async (t) => {
  const seed = Number(process.env.TROUPE_HARNESS_SEED ?? 1);
  const plan = { workers: 8, browsers: 1, profiles: 100, batches: 4, faults: 60, seed };
  assertSound(await runHarness(plan, (line) => t.diagnostic(line)), (line) => t.diagnostic(line));
});
