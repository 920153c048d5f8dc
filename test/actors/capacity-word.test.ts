/** The pool's capacity in shared memory: a read returns the three numbers of one write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "../../actors/pool/slot-queue.ts";
import { createCapacityWord, readCapacity, writeCapacity } from "../../protocol/capacity-word.ts";
import { Fault } from "../../protocol/faults.ts";

test("a capacity is read as written, also the largest numbers", () => {
  const word = createCapacityWord();
  assert.deepEqual(readCapacity(word), { active: 0, max: 0, queued: 0, memory_short: false });
  const most = 2 ** 21 - 1;
  for (const capacity of [
    { active: 3, max: 8, queued: 1, memory_short: true },
    { active: most, max: most, queued: most, memory_short: true },
    { active: 0, max: 0, queued: 7, memory_short: false },
  ]) {
    writeCapacity(word, capacity);
    assert.deepEqual(readCapacity(word), capacity);
  }
});

test("slots report every change: initial, taken, queued, granted, cancelled, freed, a new limit, closed", async () => {
  const word = createCapacityWord();
  const slots = new Slots(1, ({ active, max, queued }) =>
    writeCapacity(word, { active, max, queued, memory_short: false }),
  );
  const fault = new Fault("conflict", "given up");
  const shows = (active: number, max: number, queued: number) =>
    assert.deepEqual(readCapacity(word), { active, max, queued, memory_short: false });
  shows(0, 1, 0);
  slots.take("a");
  shows(1, 1, 0);
  const waits = ["b", "c", "d"].map((id) => slots.wait(id));
  const settled = Promise.allSettled(waits);
  shows(1, 1, 3);
  slots.cancel("c", fault);
  shows(1, 1, 2);
  slots.free("a");
  shows(1, 1, 1);
  slots.setMax(2);
  shows(2, 2, 0);
  const last = assert.rejects(slots.wait("e"), fault);
  shows(2, 2, 1);
  slots.close(fault);
  shows(2, 2, 0);
  await last;
  const outcomes = (await settled).map(({ status }) => status);
  assert.deepEqual(outcomes, ["fulfilled", "rejected", "fulfilled"]);
});
