/** Lanes: concurrency and stagger of a run, on a clock that is advanced by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { runLanes } from "../../actors/runs/lanes.ts";

test("never more than the concurrency are driven, and all are", async () => {
  let now = 0;
  let most = 0;
  const seen: number[] = [];
  const items = [...Array(20).keys()];
  await runLanes(
    items,
    { concurrency: 3, staggerMs: 0, clock: new ManualClock(), halted: () => false },
    (item) => {
      now += 1;
      most = Math.max(most, now);
      seen.push(item);
      return {
        done: new Promise<void>((resolve) =>
          setImmediate(() => {
            now -= 1;
            resolve();
          }),
        ),
      };
    },
  );
  assert.equal(most, 3);
  assert.deepEqual(seen, items);
});

test("starts are at least the stagger apart", async () => {
  const clock = new ManualClock(0);
  const starts: number[] = [];
  const lanes = runLanes([1, 2, 3, 4], { concurrency: 4, staggerMs: 500, clock, halted: () => false }, () => {
    starts.push(clock.now());
    return { done: Promise.resolve() };
  });
  await clock.advance(5_000);
  await lanes;
  assert.deepEqual(starts, [0, 500, 1000, 1500]);
});

test("a halt starts nothing more", async () => {
  let halted = false;
  const seen: number[] = [];
  await runLanes(
    [1, 2, 3],
    { concurrency: 1, staggerMs: 0, clock: new ManualClock(), halted: () => halted },
    (item) => {
      seen.push(item);
      halted = true;
      return { done: Promise.resolve() };
    },
  );
  assert.deepEqual(seen, [1]);
});
