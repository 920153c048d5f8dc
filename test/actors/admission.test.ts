/** Whether another browser of a run may start: on idle cores, and after a while in any case. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createAdmission } from "../../actors/pool/admission.ts";

/** Two cores with an idle share of `share`, at a time that only `pass` moves. */
function machine() {
  let at = 0;
  let idle = 0;
  let share = 0;
  mock.timers.enable({ apis: ["setTimeout"] });
  return {
    options: { cores: 2, now: () => at, idleMs: () => idle },
    busy: () => {
      share = 0;
    },
    idle: (of: number) => {
      share = of;
    },
    pass(ms: number) {
      at += ms;
      idle += ms * 2 * share;
      mock.timers.tick(ms);
    },
  };
}

test("one browser per core may start, however busy the cores are", (t) => {
  t.after(() => mock.timers.reset());
  const admits = createAdmission(() => {}, machine().options);
  assert.deepEqual([0, 1, 2].map(admits), [true, true, false]);
});

test("on busy cores a browser waits, and may start when they have been idle for long enough", (t) => {
  t.after(() => mock.timers.reset());
  let asked = 0;
  const cores = machine();
  const admits = createAdmission(() => {
    asked += 1;
  }, cores.options);
  assert.equal(admits(3), false);
  cores.pass(500);
  assert.equal(asked, 1);
  cores.idle(0.4);
  assert.equal(admits(3), false);
  cores.pass(500);
  assert.equal(asked, 2);
  cores.idle(0.5);
  assert.equal(admits(3), false, "two fifths of two cores are less than one core");
  cores.pass(500);
  assert.equal(admits(3), true);
  assert.equal(admits(4), false, "the browser that just started must show its load first");
});

test("a browser that ends makes place for the next at once, however busy the cores are", (t) => {
  t.after(() => mock.timers.reset());
  const cores = machine();
  const admits = createAdmission(() => {}, cores.options);
  assert.deepEqual([0, 1].map(admits), [true, true]);
  cores.idle(1);
  cores.pass(500);
  assert.equal(admits(2), true);
  cores.busy();
  cores.pass(500);
  assert.equal(admits(3), false);
  assert.equal(admits(2), true, "three ran before, so a third may start");
  assert.equal(admits(3), false);
});

test("on one core, an idle half is enough", (t) => {
  t.after(() => mock.timers.reset());
  const cores = machine();
  const admits = createAdmission(() => {}, { ...cores.options, cores: 1 });
  assert.deepEqual([0, 1].map(admits), [true, false]);
  cores.idle(0.25); // As a share of the machine's two cores.
  cores.pass(500);
  assert.equal(admits(1), true);
});

test("a place ends with its browser", (t) => {
  t.after(() => mock.timers.reset());
  const cores = machine();
  const admits = createAdmission(() => {}, cores.options);
  assert.equal(admits(1), true);
  cores.idle(1);
  cores.pass(500);
  assert.equal(admits(2), true);
  cores.busy();
  assert.deepEqual([0, 1, 2].map(admits), [true, true, false]);
});

test("reused places do not shorten the waiting time", (t) => {
  t.after(() => mock.timers.reset());
  const cores = machine();
  const admits = createAdmission(() => {}, cores.options);
  assert.deepEqual([0, 1].map(admits), [true, true]);
  for (let second = 0; second < 60; second += 1) {
    cores.pass(1_000);
    assert.deepEqual([1, 2].map(admits), [true, false]);
  }
});

test("earlier idle time does not count", (t) => {
  t.after(() => mock.timers.reset());
  const cores = machine();
  const admits = createAdmission(() => {}, cores.options);
  assert.equal(admits(0), true);
  cores.idle(1);
  cores.pass(4_000);
  cores.busy();
  assert.equal(admits(3), false);
});

test("on cores that are never idle, one more browser may start every ten seconds", (t) => {
  t.after(() => mock.timers.reset());
  const cores = machine();
  const letIn: number[] = [];
  let passed = 0;
  const admits = createAdmission(() => {
    if (admits(3 + letIn.length)) letIn.push(passed);
  }, cores.options);
  assert.equal(admits(1), true);
  assert.equal(admits(3), false);
  while (passed < 25_000) {
    passed += 500;
    cores.pass(500);
    admits(3 + letIn.length);
  }
  assert.deepEqual(letIn, [10_000, 20_000]);
});
