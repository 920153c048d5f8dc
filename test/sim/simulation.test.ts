/** The short simulation: the known seeds and some more. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { simulateAll } from "./crew.ts";
import { knownSeeds } from "./known-seeds.ts";
import type { Outcome } from "./simulate.ts";

const moreSeeds = Array.from({ length: 3 }, (_, index) => 1_010 + index);
const seeds = [...knownSeeds.map(({ seed }) => seed), ...moreSeeds];

async function outcomesOf(seeds: readonly number[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await simulateAll(
    seeds,
    (outcome) => {
      outcomes.push(outcome);
      return outcome.wrong === null;
    },
    1,
  );
  return outcomes;
}

/** The first seed runs in a fresh thread, and again after all others. */
let outcomes: Outcome[] = [];
before(async () => {
  outcomes = await outcomesOf([...seeds, ...seeds.slice(0, 1)]);
});

test("despite failures, crashes and concurrent calls, everything acknowledged is kept and everything started ends", () => {
  for (const { seed, step, wrong, trace } of outcomes) {
    const told = `seed ${seed}, step ${step}: ${wrong}\n${trace.slice(-20).join("\n")}\n`;
    assert.equal(wrong, null, `${told}repeat: npm run test:sim -- --seed ${seed} --runs 1`);
  }
  assert.equal(outcomes.length, seeds.length + 1);
});

test("a seed gives the same simulation, whatever ran before it", () => {
  const [first, last] = [outcomes[0], outcomes.at(-1)];
  assert.equal(last?.seed, first?.seed);
  assert.equal(last?.digest, first?.digest);
  assert.notEqual(first?.digest, "");
});
