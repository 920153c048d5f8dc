/** The short form of the simulation: the seeds that have found something, and some more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateAll } from "./crew.ts";
import { knownSeeds } from "./known-seeds.ts";
import type { Outcome } from "./simulate.ts";

const moreSeeds = Array.from({ length: 40 }, (_, index) => 1_000 + index);

async function outcomesOf(seeds: readonly number[], threads: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await simulateAll(
    seeds,
    (outcome) => {
      outcomes.push(outcome);
      return outcome.wrong === null;
    },
    threads,
  );
  return outcomes;
}

test("whatever fails, crashes or comes at once, all that was acknowledged is there and all that was begun ends", async () => {
  const outcomes = await outcomesOf([...knownSeeds.map(({ seed }) => seed), ...moreSeeds], 1);
  for (const { seed, step, wrong, trace } of outcomes) {
    const told = `seed ${seed}, step ${step}: ${wrong}\n${trace.slice(-20).join("\n")}\n`;
    assert.equal(wrong, null, `${told}again: npm run test:sim -- --seed ${seed} --runs 1`);
  }
  assert.equal(outcomes.length, knownSeeds.length + moreSeeds.length);
});

test("a seed does the same whatever was simulated before it", async () => {
  const [, after] = await outcomesOf([7, 1_003], 1);
  const [alone] = await outcomesOf([1_003], 1);
  assert.equal(after?.digest, alone?.digest);
  assert.notEqual(alone?.digest, "");
});
