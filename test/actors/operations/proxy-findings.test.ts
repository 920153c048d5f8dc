/** Findings of a pool test are stored as they arrive, also during an earlier write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepAsTheyCome } from "../../../actors/operations/proxy-tests.ts";

test("findings that arrive while earlier ones are being stored are stored too", async () => {
  const kept: number[][] = [];
  let firstIsBeingKept = () => {};
  let firstIsKept = () => {};
  const keeping = new Promise<void>((resolve) => {
    firstIsBeingKept = resolve;
  });
  const slowDisk = new Promise<void>((resolve) => {
    firstIsKept = resolve;
  });
  await keepAsTheyCome<number>(
    async (found) => {
      found([1, 2]);
      await keeping;
      found([3]);
      // The measurement ends while the first findings are still being stored.
      setImmediate(firstIsKept);
    },
    async (some) => {
      kept.push(some);
      if (kept.length > 1) return;
      firstIsBeingKept();
      await slowDisk;
    },
  );
  assert.deepEqual(kept.flat(), [1, 2, 3]);
});

test("an aborted measurement fails, and its findings so far are stored", async () => {
  const kept: number[] = [];
  const broken = keepAsTheyCome<number>(
    async (found) => {
      found([1]);
      throw new Error("the tasks thread ended");
    },
    async (some) => void kept.push(...some),
  );
  await assert.rejects(broken, /the tasks thread ended/);
  assert.deepEqual(kept, [1]);
});
