/** Schedules of faults in virtual time: no profile is open twice, no part begins twice, and no archive is replaced by an older one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bugs } from "./simulated-workers.ts";
import { simulate } from "./simulation.ts";

const schedules = 30;

async function findingsOf(bugs: Bugs, seeds: Iterable<number>): Promise<string | null> {
  for (const seed of seeds) {
    const [finding] = await simulate(seed, bugs);
    if (finding !== undefined) return `seed ${seed}: ${finding}`;
  }
  return null;
}

const seedsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("a fleet under faults keeps its promises", async () => {
  assert.equal(await findingsOf({}, seedsTo(schedules)), null);
});

test("the simulation finds each planted fault", async () => {
  const planted: [Bugs, number][] = [
    [{ noGuard: true }, 22],
    [{ lostMs: 15_000 }, 42],
    [{ releasesWithoutEpoch: true }, 149],
    [{ expiresWithoutBeat: true }, 407],
  ];
  for (const [bugs, seed] of planted)
    assert.notEqual(await findingsOf(bugs, [seed]), null, JSON.stringify(bugs));
});
