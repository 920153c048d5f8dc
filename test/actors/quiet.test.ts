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

test("it begins after so long without a launch, and goes on while there is more", async () => {
  mock.timers.tick(quietMs - 1);
  await turn();
  assert.equal(done, 0);
  mock.timers.tick(1);
  await turn();
  assert.equal(done, 3);
});

test("launches hold it off until the last of them has ended, and for as long again", async () => {
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

test("a launch stops it between two pieces, and it goes on in the next quiet time", async () => {
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

test("work that fails is tried again in the next quiet time; closed, it is not", async () => {
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
