/** Slots: never more than max, waiters in order, nothing granted to one who left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "../../actors/pool/slots.ts";
import { Fault } from "../../protocol/faults.ts";

test("a slot beyond max is refused with the numbers", () => {
  const slots = new Slots(2);
  slots.take("a");
  slots.take("b");
  assert.throws(() => slots.take("c"), /full: 2 of 2 browsers run/);
  slots.free("a");
  slots.take("c");
  assert.equal(slots.active, 2);
});

test("waiters get slots in the order they came, and count as queued until then", async () => {
  const slots = new Slots(1);
  slots.take("a");
  const granted: string[] = [];
  const waits = ["b", "c"].map((id) => slots.wait(id).then(() => granted.push(id)));
  assert.equal(slots.queued, 2);
  slots.free("a");
  await waits[0];
  assert.deepEqual(granted, ["b"]);
  assert.throws(() => slots.take("d"), /full/);
  slots.free("b");
  await waits[1];
  assert.deepEqual([slots.active, slots.queued], [1, 0]);
});

test("one who leaves the line is refused, and the next is granted", async () => {
  const slots = new Slots(1);
  slots.take("a");
  const left = assert.rejects(slots.wait("b"), /left/);
  const stays = slots.wait("c");
  slots.cancel("b", new Fault("conflict", "left"));
  await left;
  slots.free("a");
  await stays;
  assert.equal(slots.active, 1);
});

test("a higher max grants waiters at once; a lower one ends nobody", async () => {
  const slots = new Slots(1);
  slots.take("a");
  const waiting = slots.wait("b");
  slots.setMax(2);
  await waiting;
  slots.setMax(1);
  assert.equal(slots.active, 2);
  slots.free("a");
  assert.throws(() => slots.take("c"), /full: 1 of 1/);
});

test("freeing twice gives no second slot", () => {
  const slots = new Slots(1);
  slots.take("a");
  slots.free("a");
  slots.free("a");
  slots.take("b");
  assert.throws(() => slots.take("c"), /full/);
});
