/** What is short of memory starts no browser, says why, and goes on by itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { memoryLeft } from "../../actors/kernel/free-memory.ts";
import { createLog } from "../../actors/kernel/log.ts";
import { watchPressure } from "../../actors/pool/pressure.ts";
import { Slots } from "../../actors/pool/slot-queue.ts";

const mib = 2 ** 20;

function watched(availableMib: number) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const memory = { availableBytes: availableMib * mib, stalledPercent: 0 };
  const state = { memory, starting: 0, short: 0, over: 0, lines, clock };
  const pressure = watchPressure({
    log: createLog("pool", (line) => lines.push(line)),
    starting: () => state.starting,
    browserBytes: 250 * mib,
    onShort: () => void state.short++,
    onOver: () => void state.over++,
    look: () => ({ ...memory }),
    clock,
  });
  return { ...state, state, pressure };
}

test("a browser starts while memory is left for it and for those that start", () => {
  const { pressure, state } = watched(128 + 3 * 250);
  state.starting = 2;
  assert.equal(pressure.refusal(), null);
  state.starting = 3;
  assert.equal(
    pressure.refusal()?.message,
    "memory is short: 878 MiB are free, and a browser needs 1128 MiB, 3 that start included; close other programs, or stop a profile",
  );
  assert.equal(pressure.refusal()?.detail?.code, "memory-short");
});

test("programs that wait for memory are a reason too", () => {
  const { pressure, memory, clock } = watched(20_000);
  assert.equal(pressure.refusal(), null);
  memory.stalledPercent = 34.6;
  clock.jump(100);
  assert.match(pressure.refusal()?.message ?? "", /programs waited for it 35 % of the last 10 s/);
});

test("the beginning and the end are logged and reported, and the end is noticed without a launch", async () => {
  const { pressure, memory, clock, lines, state } = watched(300);
  await clock.advance(5_000);
  assert.deepEqual([state.short, state.over, lines.length], [1, 0, 1]);
  await clock.advance(10_000);
  assert.deepEqual([state.short, lines.length], [2, 1], "pages used meanwhile are frozen too");
  pressure.refusal();
  memory.availableBytes = 600 * mib;
  await clock.advance(1_000);
  assert.deepEqual([state.short, state.over, lines.length], [2, 1, 2]);
  pressure.close();
  assert.equal(clock.pending, 0);
});

test("a launch without a wait is refused, one with a wait gets its slot when memory is back, and max stays", async () => {
  const { pressure, memory, clock, state } = watched(300);
  const slots = new Slots(
    4,
    () => {},
    () => true,
    () => pressure.refusal(),
  );
  assert.throws(() => slots.take("a"), { kind: "conflict", message: /^memory is short: 300 MiB/ });
  await assert.rejects(slots.waitAtMost("b", 1), { message: /^memory is short.*; it waited 1 ms$/ });
  const waiting = slots.wait("c");
  assert.deepEqual([slots.max, slots.active, slots.queued], [4, 0, 1]);
  memory.availableBytes = 900 * mib;
  await clock.advance(5_000);
  assert.equal(state.over, 1);
  slots.grant();
  await waiting;
  assert.equal(slots.active, 1);
});

test("memory that comes back during a grant gives each waiting launch its slot once, and none beyond max", async () => {
  const clock = new ManualClock();
  const memory = { availableBytes: 0, stalledPercent: 0 };
  const slots: Slots = new Slots(
    2,
    () => {},
    () => true,
    () => pressure.refusal(),
  );
  const pressure = watchPressure({
    log: createLog("pool", () => {}),
    starting: () => 0,
    browserBytes: 250 * mib,
    onShort: () => {},
    onOver: () => slots.grant(),
    look: () => ({ ...memory }),
    clock,
  });
  const granted: string[] = [];
  for (const name of ["a", "b", "c"]) void slots.wait(name).then(() => granted.push(name));
  await clock.advance(0);
  memory.availableBytes = 4_000 * mib;
  clock.jump(100);
  slots.grant();
  await clock.advance(0);
  assert.deepEqual([granted, slots.active, slots.queued], [["a", "b"], 2, 1]);
  assert.throws(() => slots.take("d"), { message: /2 of 2 browsers run/ });
  slots.free("a");
  await clock.advance(0);
  assert.deepEqual([granted, slots.active, slots.queued], [["a", "b", "c"], 2, 0]);
});

const files: Record<string, string> = {
  "/proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable:    4194304 kB\n",
  "/proc/pressure/memory":
    "some avg10=3.00 avg60=0 avg300=0 total=0\nfull avg10=1.50 avg60=0 avg300=0 total=0\n",
};
const left = (more: Record<string, string>) => memoryLeft((path) => ({ ...files, ...more })[path] ?? null);

test("memory is what the machine has, or the tightest of the groups above this process", () => {
  assert.deepEqual(left({}), { availableBytes: 4_096 * mib, stalledPercent: 1.5 });
  const user = "/sys/fs/cgroup/user.slice";
  const second = {
    "/proc/self/cgroup": "0::/user.slice/app.scope\n",
    [`${user}/app.scope/memory.max`]: "max\n",
    [`${user}/app.scope/memory.pressure`]: "full avg10=25.00 avg60=0\n",
    [`${user}/memory.max`]: `${1_000 * mib}\n`,
    [`${user}/memory.high`]: `${900 * mib}\n`,
    [`${user}/memory.current`]: `${600 * mib}\n`,
    [`${user}/memory.stat`]: `anon 1\ninactive_file ${20 * mib}\nactive_file ${30 * mib}\n`,
  };
  assert.deepEqual(left(second), { availableBytes: 350 * mib, stalledPercent: 25 });
  const first = {
    "/proc/self/cgroup": "5:cpu,memory:/box\n0::/\n",
    "/sys/fs/cgroup/memory/box/memory.limit_in_bytes": `${500 * mib}\n`,
    "/sys/fs/cgroup/memory/box/memory.usage_in_bytes": `${100 * mib}\n`,
    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
  };
  assert.equal(left(first).availableBytes, 400 * mib);
});
