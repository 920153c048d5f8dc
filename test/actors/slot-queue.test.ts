/** Slots: never more than the maximum, waiters in order, nothing granted to a waiter that left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Slots } from "../../actors/pool/slot-queue.ts";
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

test("waiters get slots in order, and count as queued until then", async () => {
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

test("a cancelled waiter is refused, and the next one gets the slot", async () => {
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

test("a higher maximum grants slots at once; a lower one ends no browser", async () => {
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

test("freeing a slot twice frees one slot", () => {
  const slots = new Slots(1);
  slots.take("a");
  slots.free("a");
  slots.free("a");
  slots.take("b");
  assert.throws(() => slots.take("c"), /full/);
});

test("a waiter that may not start yet leaves a free slot to launches that do not wait", async () => {
  let room = 1;
  const slots = new Slots(
    3,
    () => {},
    (working) => working < room,
  );
  await slots.wait("a");
  const waits = slots.wait("b");
  assert.deepEqual([slots.active, slots.queued], [1, 1]);
  slots.take("c");
  assert.deepEqual([slots.active, slots.queued], [2, 1]);
  room = 2;
  slots.grant();
  await waits;
  assert.deepEqual([slots.active, slots.queued], [3, 0]);
  assert.throws(() => slots.take("d"), /full: 3 of 3/);
});

test("a browser that is ending gives its place to the next at once, and its slot after its exit", async () => {
  const slots = new Slots(
    2,
    () => {},
    (working) => working < 1,
  );
  await slots.wait("a");
  const [next, last] = [slots.wait("b"), slots.wait("c")];
  slots.leaving("a");
  await next;
  assert.deepEqual([slots.active, slots.queued], [2, 1]);
  slots.leaving("b");
  assert.equal(slots.queued, 1, "both slots are taken");
  slots.free("a");
  await last;
  slots.free("c");
  slots.free("b");
  assert.deepEqual([slots.active, slots.queued], [0, 0]);
});

test("a launch that is admitted and ends early frees its place", async () => {
  const slots = new Slots(
    2,
    () => {},
    (working) => working < 1,
  );
  await slots.wait("a");
  const next = slots.wait("b");
  slots.free("a");
  await next;
  assert.equal(slots.active, 1);
});

test("owners take turns: one owner's thousand launches delay another's one by one slot at most", async () => {
  const slots = new Slots(1);
  slots.take("first");
  const granted: string[] = [];
  let holder = "first";
  const ask = (owner: string, name: string) =>
    void slots.wait(name, owner).then(() => {
      granted.push(name);
      holder = name;
    });
  const next = async () => {
    slots.free(holder);
    await Promise.resolve();
  };
  for (let at = 0; at < 1_000; at += 1) ask("many", `many ${at}`);
  await next();
  ask("one", "one 0");
  ask("", "run 0");
  for (let at = 0; at < 4; at += 1) await next();
  assert.deepEqual(granted, ["many 0", "one 0", "run 0", "many 1", "many 2"]);
  // One that asks again and again gets every second slot, not every one.
  for (const at of [1, 2, 3]) {
    ask("one", `one ${at}`);
    await next();
    await next();
  }
  assert.deepEqual(granted.slice(5), ["one 1", "many 3", "one 2", "many 4", "one 3", "many 5"]);
  assert.equal(slots.queued, 1_000 - 6);
  for (let at = 0; at < 1_000 - 6; at += 1) await next();
  assert.deepEqual([slots.queued, granted.length, granted.at(-1)], [0, 1_005, "many 999"]);
});

test("a launch by a call goes first, busy cores or not, then runs, schedules and batches, each by turns", async () => {
  let admitted = true;
  const slots = new Slots(
    1,
    () => {},
    () => admitted,
  );
  slots.take("first");
  const granted: string[] = [];
  const note = (name: string) => () => void granted.push(name);
  for (const at of [1, 2]) void slots.wait(`batch ${at}`, "b", "batch").then(note(`batch ${at}`));
  void slots.wait("other batch", "o", "batch").then(note("other batch"));
  void slots.wait("schedule", "s", "schedule").then(note("schedule"));
  void slots.wait("run", "r", "run").then(note("run"));
  admitted = false;
  const launch = slots.waitAtMost("launch", 60_000, "token");
  slots.free("first");
  await launch;
  assert.deepEqual(granted, []);
  admitted = true;
  for (const last of ["launch", "run", "schedule", "batch 1", "other batch"]) {
    slots.free(last);
    await Promise.resolve();
  }
  assert.deepEqual(granted, ["run", "schedule", "batch 1", "other batch", "batch 2"]);
  assert.equal(slots.queued, 0);
});
