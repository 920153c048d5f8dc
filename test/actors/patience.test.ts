/** A starting browser is awaited while it works, and abandoned when it hangs, loops or takes too long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { patiently } from "../../actors/profile/patience.ts";

const patience = { usualMs: 45_000, stillMs: 15_000, longestMs: 240_000, workMaxMs: 60_000 };

/** A wait for a browser that uses `share` of a core until `untilSecs`, and then nothing. */
function waiting(share: number, untilSecs = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const startedAt = clock.now();
  const secs = () => (clock.now() - startedAt) / 1_000;
  const outcome = { late: "", value: "", secs: 0, slow: 0 };
  let come = (_value: string): void => {};
  const promise = new Promise<string>((resolve) => {
    come = resolve;
  });
  const work = () => (Number.isNaN(share) ? null : Math.min(secs(), untilSecs) * share * 1_000);
  const onSlow = () => {
    outcome.slow += 1;
  };
  const over = patiently(promise, work, patience, { clock, onSlow }).then((waited) => {
    Object.assign(outcome, waited, { secs: secs() });
  });
  return { clock, outcome, over, come };
}

test("a browser with little processor time is awaited and starts", async () => {
  const { clock, outcome, over, come } = waiting(0.02);
  await clock.advance(200_000);
  come("here");
  await over;
  assert.deepEqual({ ...outcome, secs: 0 }, { late: "", value: "here", secs: 0, slow: 1 });
});

test("a browser that does nothing is abandoned after the usual time, with the reason", async () => {
  const { clock, outcome, over } = waiting(0.2, 20);
  await clock.advance(60_000);
  await over;
  assert.equal(outcome.secs, 45);
  assert.match(outcome.late, /no answer within 45 s, and no progress for 15 s: it hangs/);
});

test("a browser that stops working later is abandoned 15 seconds after that", async () => {
  const { clock, outcome, over } = waiting(0.2, 60);
  await clock.advance(100_000);
  await over;
  assert.equal(outcome.secs, 75);
  assert.match(outcome.late, /hangs/);
});

test("a browser that uses a whole core for a minute is in a loop and is abandoned", async () => {
  const { clock, outcome, over } = waiting(1);
  await clock.advance(70_000);
  await over;
  assert.deepEqual([outcome.secs, outcome.slow], [60, 0]);
  assert.match(outcome.late, /after 60 s of processor time/);
});

test("the maximum is four minutes, or the usual time where CPU time is not known", async () => {
  const [slow, unknown] = [waiting(0.02), waiting(Number.NaN)];
  await Promise.all([slow.clock.advance(300_000), unknown.clock.advance(300_000)]);
  await Promise.all([slow.over, unknown.over]);
  assert.deepEqual([slow.outcome.secs, unknown.outcome.secs], [240, 45]);
  assert.match(slow.outcome.late, /within 240 s on a busy machine/);
});

test("a failed start fails the wait at once, and leaves no timer", async () => {
  const clock = new ManualClock();
  const failed = patiently(Promise.reject(new Error("it died")), () => 0, patience, { clock });
  await assert.rejects(failed, /it died/);
  assert.equal(clock.pending, 0);
});
