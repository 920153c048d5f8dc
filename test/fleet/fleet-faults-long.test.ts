/** The short form of the harness: three workers, 20 parts, six faults, and each profile on each worker. */
import { test } from "node:test";
import { checkUnderFaults } from "./harness.ts";
import { needsPostgres } from "./postgres.ts";

test("faults open no profile twice, and each part has one end", needsPostgres, async (t) => {
  const plan = { workers: 3, browsers: 2, profiles: 10, batches: 2, faults: 6, moves: 3, seed: 1 };
  await checkUnderFaults(plan, (line) => t.diagnostic(line));
});
