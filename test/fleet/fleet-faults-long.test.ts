/** The short form of the harness: three workers, 40 parts and eight faults. */
import { test } from "node:test";
import { assertSound, runHarness } from "./harness.ts";
import { needsPostgres } from "./postgres.ts";

test("faults open no profile twice, and each part has one end", needsPostgres, async (t) => {
  const plan = { workers: 3, browsers: 2, profiles: 20, batches: 2, faults: 8, seed: 1 };
  assertSound(await runHarness(plan, (line) => t.diagnostic(line)), (line) => t.diagnostic(line));
});
