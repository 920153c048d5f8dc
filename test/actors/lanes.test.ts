/** A run's concurrency and stagger, on a manual clock. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { runLanes } from "../../actors/runs/lanes.ts";

const going = new AbortController().signal;

test("all profiles run, never more at a time than the concurrency", async () => {
  let now = 0;
  let most = 0;
  const seen: number[] = [];
  const items = [...Array(20).keys()];
  await runLanes(items, { concurrency: 3, staggerMs: 0, clock: new ManualClock(), halt: going }, (item) => {
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
  });
  assert.equal(most, 3);
  assert.deepEqual(seen, items);
});

test("starts are at least the stagger apart", async () => {
  const clock = new ManualClock(0);
  const starts: number[] = [];
  const lanes = runLanes([1, 2, 3, 4], { concurrency: 4, staggerMs: 500, clock, halt: going }, () => {
    starts.push(clock.now());
    return { done: Promise.resolve() };
  });
  await clock.advance(5_000);
  await lanes;
  assert.deepEqual(starts, [0, 500, 1000, 1500]);
});

test("a clock set back by hours delays no start", async () => {
  const clock = new ManualClock();
  const seen: number[] = [];
  const lanes = runLanes([1, 2, 3], { concurrency: 1, staggerMs: 500, clock, halt: going }, (item) => {
    seen.push(item);
    clock.jump(-3_600_000);
    return { done: Promise.resolve() };
  });
  await clock.advance(5_000);
  assert.deepEqual(seen, [1, 2, 3]);
  await lanes;
});

test("a halt prevents further starts", async () => {
  const halting = new AbortController();
  const seen: number[] = [];
  await runLanes(
    [1, 2, 3],
    { concurrency: 1, staggerMs: 0, clock: new ManualClock(), halt: halting.signal },
    (item) => {
      seen.push(item);
      halting.abort();
      return { done: Promise.resolve() };
    },
  );
  assert.deepEqual(seen, [1]);
});

test("a halt does not wait for the stagger", async () => {
  const halting = new AbortController();
  const seen: number[] = [];
  const clock = new ManualClock();
  const lanes = runLanes(
    [1, 2],
    { concurrency: 2, staggerMs: 600_000, clock, halt: halting.signal },
    (item) => {
      seen.push(item);
      return { done: Promise.resolve() };
    },
  );
  await clock.advance(1);
  halting.abort();
  await lanes;
  assert.deepEqual(seen, [1]);
});
