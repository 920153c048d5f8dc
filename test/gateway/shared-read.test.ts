/** Simultaneous reads share one read; no caller gets data read before its call. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sharedRead } from "../../gateway/shared-read.ts";

describe("a shared read", () => {
  test("happens once for simultaneous callers", async () => {
    let reads = 0;
    const read = sharedRead(async () => (reads += 1));
    assert.deepEqual(await Promise.all([read(), read(), read()]), [1, 1, 1]);
  });

  test("is not shared with a caller that comes after it was sent, because the data may have changed", async () => {
    const answers: ((value: number) => void)[] = [];
    const read = sharedRead(() => new Promise<number>((resolve) => answers.push(resolve)));
    const first = read();
    await new Promise<void>((resolve) => setImmediate(resolve));
    assert.equal(answers.length, 1, "the first read is sent");
    const second = read();
    answers[0]?.(1);
    assert.equal(await first, 1);
    await new Promise<void>((resolve) => setImmediate(resolve));
    assert.equal(answers.length, 2);
    answers[1]?.(2);
    assert.equal(await second, 2);
  });

  test("fails for all its callers, and not for the next one", async () => {
    let reads = 0;
    const read = sharedRead(async () => {
      reads += 1;
      if (reads === 1) throw new Error("gone");
      return reads;
    });
    const both = await Promise.allSettled([read(), read()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.equal(await read(), 2);
  });
});
