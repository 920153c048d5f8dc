/** When and why a script's run ends, on a manual clock. `script-limits` tests real ends. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createEnding, type Ending } from "../../actors/script/ending.ts";
import type { OwnerMessage } from "../../actors/script/messages.ts";
import { limits } from "../../protocol/limits.ts";

const memory = limits.scriptMemoryUnapproved;
const timeoutMs = 60_000;

let clock: ManualClock;
let sent: OwnerMessage[];
let residentBytes: number | null;
let kept: string | null;
let ending: Ending;
let decided: string | null;

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  residentBytes = 0;
  kept = null;
  decided = null;
  const runner = {
    memory,
    send: (message: OwnerMessage) => void sent.push(message),
    residentBytes: () => residentBytes,
    overfull: async () => kept,
  };
  ending = createEnding(runner, timeoutMs, clock);
  void ending.decided.then(({ error }) => {
    decided = error ?? "completed";
  });
});

test("a script that does not start is killed after 30 s, without a stop request", async () => {
  await clock.advance(29_999);
  assert.equal(decided, null);
  await clock.advance(1);
  assert.deepEqual([decided, sent], ["the script did not start within 30 s", []]);
});

test("the time limit counts from the start; then the script's signal aborts, and the script is killed two seconds later", async () => {
  await clock.advance(20_000);
  ending.begun();
  ending.begun();
  await clock.advance(timeoutMs - 1);
  assert.deepEqual([decided, sent], [null, []]);
  await clock.advance(1);
  const reason = "the script ran longer than 1 min";
  assert.deepEqual([decided, sent], [null, [{ kind: "abort", reason }]]);
  await clock.advance(1_999);
  assert.equal(decided, null);
  await clock.advance(1);
  assert.equal(decided, reason);
});

test("a script that ends while it is being stopped gets the first reason for the stop", async () => {
  ending.begun();
  ending.stop("the run was cancelled");
  ending.stop("something else");
  ending.conclude({ error: null, result: 1 });
  await clock.advance(0);
  assert.deepEqual([decided, sent.length], ["the run was cancelled", 1]);
});

test("a script that is stopped before it starts is killed at once", async () => {
  ending.stop("the run was cancelled");
  await clock.advance(0);
  assert.deepEqual([decided, sent], ["the run was cancelled", []]);
});

test("too much memory ends a script within a second; an unknown size does not", async () => {
  ending.begun();
  residentBytes = null;
  await clock.advance(5_000);
  residentBytes = memory.rssBytesMax;
  await clock.advance(5_000);
  assert.equal(decided, null);
  residentBytes = memory.rssBytesMax + 1;
  await clock.advance(limits.scriptMemoryPollMs);
  assert.match(decided ?? "", /^the script used more memory than allowed: 256 MiB of heap, 512 MiB in all$/);
});

test("after the end there are no timers", async () => {
  ending.begun();
  ending.conclude({ error: null, result: 1 });
  ending.close();
  assert.equal(clock.pending, 0);
  ending.stop("too late");
  await clock.advance(2 * timeoutMs);
  assert.deepEqual([decided, clock.pending], ["completed", 0]);
});

test("a script's files are counted repeatedly, and too many end it", async () => {
  ending.begun();
  await clock.advance(10 * limits.scratchPollMs);
  assert.equal(decided, null);
  kept = "the script kept more than it may";
  await clock.advance(limits.scratchPollMs);
  assert.equal(decided, kept);
});

test("the time limit stands still while the user has the profile, over all for at most an hour", async () => {
  ending.begun();
  await clock.advance(timeoutMs - 1_000);
  const goOn = ending.pause();
  await clock.advance(limits.handoffMs.most);
  goOn();
  await clock.advance(999);
  assert.deepEqual([decided, sent], [null, []]);
  const again = ending.pause();
  await clock.advance(limits.handoffMs.all - limits.handoffMs.most);
  assert.deepEqual(sent, []);
  await clock.advance(1);
  assert.deepEqual(sent, [{ kind: "abort", reason: "the script ran longer than 1 min" }]);
  again();
  await clock.advance(limits.scriptAbortGraceMs);
  assert.equal(decided, "the script ran longer than 1 min");
});
