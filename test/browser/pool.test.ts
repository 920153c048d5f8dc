/** The pool with real profile threads and browsers: slots, waits, and a killed browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../gateway/serve.ts";
import { a, b, poolOfThree } from "./fixture/pool-of-three.ts";

const { on, launch, statusOf, active, ending } = poolOfThree();

test("a browser killed with kill -9 is crashed, its slot is free, others keep running, and it can launch again", async () => {
  await ending(({ pid }) => void process.kill(pid, "SIGKILL"), "crashed");
});

test("a waiting launch counts as queued and gets the slot when a process exits; a launch that may not wait is refused", async () => {
  await on.pool.setMax({ max: 1 });
  await launch(a);
  await assert.rejects(launch(b), { kind: "conflict", message: /pool is full: 1 of 1/ });
  const waiting = launch(b, true);
  await until("a launch waits", async () => (await on.pool.capacity({})).queued === 1);
  assert.equal(await statusOf(b), "stopped");
  await on.pool.stop({ profileId: a });
  await waiting;
  assert.deepEqual(await on.pool.capacity({}), { active: 1, max: 1, queued: 0, memory_short: false });
});

test("a cancelled wait is refused, and no slot is lost", async () => {
  await on.pool.setMax({ max: 1 });
  await launch(a);
  const waiting = assert.rejects(launch(b, true), /no longer waits/);
  await until("a launch waits", async () => (await on.pool.capacity({})).queued === 1);
  await on.pool.cancelWait({ profileId: b });
  await waiting;
  await on.pool.stop({ profileId: a });
  assert.equal(await active(), 0);
});

test("two simultaneous launches of one profile open one browser", async () => {
  const outcomes = await Promise.allSettled([launch(a), launch(a), launch(a)]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected", "rejected"]);
  assert.equal(await active(), 1);
});
