/** Work for quiet times never runs during launches or after the end, and continues while there is more. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { type Quiet, whenQuiet } from "../../actors/pool/quiet.ts";

const quietMs = 100;
let done = 0;
let more = 0;
let quiet: Quiet;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  [done, more] = [0, 2];
  quiet = whenQuiet(async () => {
    done += 1;
    return more-- > 0;
  }, quietMs);
});
afterEach(() => {
  quiet.close();
  mock.timers.reset();
});

test("work starts after the quiet time without a launch, and continues while there is more", async () => {
  mock.timers.tick(quietMs - 1);
  await turn();
  assert.equal(done, 0);
  mock.timers.tick(1);
  await turn();
  assert.equal(done, 3);
});

test("work waits for the end of the last launch, and then for the quiet time", async () => {
  const [first, second] = [quiet.disturb(), quiet.disturb()];
  first();
  mock.timers.tick(10 * quietMs);
  await turn();
  assert.equal(done, 0);
  second();
  mock.timers.tick(quietMs);
  await turn();
  assert.equal(done, 3);
});

test("a launch stops work between two pieces, and it continues in the next quiet time", async () => {
  let ended = (): void => {};
  const work = whenQuiet(async () => {
    done += 1;
    if (done === 1) ended = work.disturb();
    return done < 3;
  }, quietMs);
  quiet.close();
  mock.timers.tick(quietMs);
  await turn();
  assert.equal(done, 1);
  ended();
  mock.timers.tick(quietMs);
  await turn();
  assert.equal(done, 3);
  work.close();
});

test("failed work is retried in the next quiet time, but not after the close", async () => {
  quiet.close();
  const failing = whenQuiet(async () => {
    done += 1;
    throw new Error("it cannot");
  }, quietMs);
  mock.timers.tick(quietMs);
  await turn();
  assert.equal(done, 1);
  failing.disturb()();
  mock.timers.tick(quietMs);
  await turn();
  assert.equal(done, 2);
  failing.disturb()();
  failing.close();
  mock.timers.tick(10 * quietMs);
  await turn();
  assert.equal(done, 2);
});
