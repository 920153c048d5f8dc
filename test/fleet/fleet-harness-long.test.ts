/**
 * Eight workers, 400 parts and sixty faults: half an hour and more. On demand: `npm test -- fleet-harness`.
 * TROUPE_HARNESS changes the plan, such as `{"workers":3,"profiles":6,"batches":10,"faults":4,"kinds":["is stopped"]}`.
 */
import { test } from "node:test";
import { checkUnderFaults, type Plan } from "./harness.ts";
import { needsPostgres } from "./postgres.ts";

const whole: Plan = { workers: 8, browsers: 1, profiles: 100, batches: 4, faults: 60, moves: 3, seed: 1 };

test("faults without end open no profile twice, and each part has one end", needsPostgres, async (t) => {
  const plan = { ...whole, ...JSON.parse(process.env.TROUPE_HARNESS ?? "{}") };
  await checkUnderFaults(plan, (line) => t.diagnostic(line));
});
