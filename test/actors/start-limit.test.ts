/** The launch gate: a limited number at a time, in order, and no more while one is slow because the machine is busy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { StartLimit } from "../../actors/pool/start-limit.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function launches(width: number, count: number) {
  const gate = new StartLimit(width);
  const inside: number[] = [];
  const holds: (() => void)[] = [];
  const ends: (() => void)[] = [];
  const done = Array.from({ length: count }, (_, index) =>
    gate.pass(async (hold) => {
      inside.push(index);
      holds[index] = hold;
      await new Promise<void>((resolve) => {
        ends[index] = resolve;
      });
    }),
  );
  return { inside, hold: (index: number) => holds[index]?.(), end: (index: number) => ends[index]?.(), done };
}

test("the gate admits as many as its width, and the others in order as those end", async () => {
  const { inside, end, done } = launches(2, 4);
  await turn();
  assert.deepEqual(inside, [0, 1]);
  end(1);
  await turn();
  assert.deepEqual(inside, [0, 1, 2]);
  for (const index of [0, 2]) end(index);
  await turn();
  end(3);
  await Promise.all(done);
  assert.deepEqual(inside, [0, 1, 2, 3]);
});

test("the gate admits none while an admitted launch is slow, and fills up when it has ended", async () => {
  const { inside, hold, end, done } = launches(2, 5);
  await turn();
  hold(0);
  hold(0);
  end(1);
  await turn();
  assert.deepEqual(inside, [0, 1]);
  end(0);
  await turn();
  assert.deepEqual(inside, [0, 1, 2, 3]);
  for (const index of [2, 3]) end(index);
  await turn();
  end(4);
  await Promise.all(done);
});

test("a stuck stop no longer keeps the others waiting after a while, and its own caller still gets its outcome", async () => {
  const gate = new StartLimit(1);
  const clock = new ManualClock();
  let fail: (error: Error) => void = () => {};
  const never = new Promise<string>((_resolve, reject) => {
    fail = reject;
  });
  const stuck = gate.passBriefly(() => never, clock);
  const next = gate.passBriefly(async () => "stopped", clock);
  await turn();
  await clock.advance(5_000);
  assert.equal(await next, "stopped");
  fail(new Error("killed"));
  await assert.rejects(stuck, /killed/);
});
