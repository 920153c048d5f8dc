/** The scheduler on a manual clock: clocks that jump, and a machine that sleeps or moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import type { ScheduleTiming } from "../../protocol/schedules.ts";
import { startStandIn, uuidOf } from "./stand-in-schedules.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const daily = (hour: number): ScheduleTiming => ({ type: "daily", hour, minute: 0 });
const start = Date.parse("2026-06-01T10:00:00Z");
const look = { clockLookMs: 1_000 };

test("after the machine's sleep or a clock set forward, a due schedule runs once, at the next check of the clock", async () => {
  const clock = new ManualClock(start);
  const every: ScheduleTiming = { type: "interval", count: 1, unit: "hours" };
  const { scheduler, fired } = startStandIn(clock, "UTC", [{ timing: every, at: start + hourMs }], look);
  await clock.advance(5 * minuteMs);
  clock.jump(3 * hourMs);
  const woke = clock.now();
  await clock.advance(2_000);
  const [first, ...more] = fired.get(uuidOf(0)) ?? [];
  assert.equal(first?.due, new Date(start + hourMs).toISOString());
  assert.ok((first?.at ?? 0) - woke <= 1_000);
  assert.deepEqual([more, first?.missed], [[], false]);
  assert.equal((await scheduler.nextWake({})).at, new Date(start + 4 * hourMs).toISOString());
  await scheduler.close({});
  assert.equal(clock.pending, 0);
});

test("after a clock is set back by a year, next runs are computed again", async () => {
  const clock = new ManualClock(start + 365 * dayMs);
  const every: ScheduleTiming = { type: "interval", count: 3, unit: "hours" };
  const { scheduler, fired } = startStandIn(
    clock,
    "UTC",
    [daily(12), every].map((timing) => ({ timing, at: clock.now() + 2 * hourMs })),
    look,
  );
  await clock.advance(minuteMs);
  clock.jump(-365 * dayMs);
  await clock.advance(4 * hourMs);
  const times = [0, 1].map((index) => fired.get(uuidOf(index))?.map(({ due }) => due) ?? []);
  assert.deepEqual(times[0], ["2026-06-01T12:00:00.000Z"]);
  assert.equal(times[1]?.length, 1);
  await scheduler.close({});
});

test("a failed computation of next runs is retried", async () => {
  const clock = new ManualClock(start + 365 * dayMs);
  const calls: string[] = [];
  const { scheduler, schedules } = startStandIn(
    clock,
    "UTC",
    [{ timing: daily(12), at: clock.now() + 2 * hourMs }],
    look,
    async (call) => {
      calls.push(call);
      if (call === "renewNextRuns" && calls.filter((one) => one === call).length === 1)
        throw new Error("the library starts again");
    },
  );
  await clock.advance(minuteMs);
  clock.jump(-365 * dayMs);
  await clock.advance(minuteMs);
  assert.equal(schedules.get(uuidOf(0))?.at, "2026-06-01T12:00:00.000Z");
  await scheduler.close({});
});

test("a schedule that the library refused but has after its restart fires", async () => {
  const clock = new ManualClock(start);
  const { scheduler, fired, schedules, libraryRestarts } = startStandIn(clock, "UTC", [], look);
  await scheduler.nextWake({});
  const at = new Date(start + minuteMs).toISOString();
  const scheduleId = uuidOf(1);
  schedules.set(scheduleId, { scheduleId, timing: { type: "once", runAt: at }, timezone: "UTC", at });
  fired.set(scheduleId, []);
  libraryRestarts();
  await clock.advance(2 * minuteMs);
  assert.equal(fired.get(scheduleId)?.[0]?.due, at);
  await scheduler.close({});
});

test("a schedule whose creation got no answer fires when the library has it", async () => {
  const clock = new ManualClock(start);
  const at = start + minuteMs;
  const { scheduler, fired, schedules } = startStandIn(clock, "UTC", [], look);
  await scheduler.nextWake({});
  const timing: ScheduleTiming = { type: "once", runAt: new Date(at).toISOString() };
  const [scheduleId, scriptId] = [uuidOf(1), uuidOf(2)];
  schedules.set(scheduleId, { scheduleId, timing, timezone: "UTC", at: timing.runAt });
  fired.set(scheduleId, []);
  const asked = { name: "S", scriptId, profileIds: [], enabled: true, concurrency: 0, staggerMs: 0, timing };
  await assert.rejects(scheduler.create(asked)); // The stand-in does not answer.
  await clock.advance(2 * minuteMs);
  assert.equal(fired.get(scheduleId)?.length, 1);
  await scheduler.close({});
});

test("a clock set back by seconds changes no next run", async () => {
  const clock = new ManualClock(start);
  const { scheduler, fired } = startStandIn(clock, "UTC", [{ timing: daily(11), at: start + hourMs }], look);
  await clock.advance(hourMs);
  clock.jump(-20_000);
  await clock.advance(minuteMs);
  assert.equal(fired.get(uuidOf(0))?.length, 1);
  await scheduler.close({});
});

test("after a change of timezone, times of day follow the new zone; intervals and instants stay", async () => {
  const clock = new ManualClock(start);
  const at = start + 5 * hourMs;
  const once: ScheduleTiming = { type: "once", runAt: new Date(at).toISOString() };
  const every: ScheduleTiming = { type: "interval", count: 5, unit: "hours" };
  const timings = [daily(21), once, every].map((timing) => ({ timing, at, timezone: "Europe/Berlin" }));
  const { scheduler, schedules } = startStandIn(clock, "Asia/Tokyo", timings);
  await scheduler.nextWake({});
  assert.deepEqual(
    [...schedules.values()].map((schedule) => [schedule.timezone, schedule.at]),
    [
      ["Asia/Tokyo", "2026-06-01T12:00:00.000Z"],
      ["Asia/Tokyo", new Date(at).toISOString()],
      ["Asia/Tokyo", new Date(at).toISOString()],
    ],
  );
  await scheduler.close({});
});

test("a due time before the service's start is missed; after a restart of the thread it is only late", async () => {
  for (const restarted of [false, true]) {
    const clock = new ManualClock(start);
    const timings = [{ timing: daily(9), at: start - hourMs }];
    const { scheduler, fired } = startStandIn(clock, "UTC", timings, { restarted });
    assert.equal((await scheduler.nextWake({})).at, "2026-06-02T09:00:00.000Z");
    assert.deepEqual(fired.get(uuidOf(0)), [
      { due: new Date(start - hourMs).toISOString(), at: start, missed: !restarted },
    ]);
    await scheduler.close({});
  }
});

test("the scheduler sleeps until the next due time, and without one does nothing", async () => {
  const clock = new ManualClock(start);
  const { scheduler } = startStandIn(clock, "UTC", []);
  assert.equal((await scheduler.nextWake({})).at, null);
  assert.equal(clock.pending, 1); // Housekeeping's timer.
  await scheduler.close({});
});

test("a slow write of one firing delays no other", async () => {
  const clock = new ManualClock(start);
  let slow: Promise<void> | undefined;
  const times = [start + hourMs, start + hourMs + 100];
  const { scheduler, fired } = startStandIn(
    clock,
    "UTC",
    times.map((at) => ({ timing: { type: "once", runAt: new Date(at).toISOString() }, at })),
    {},
    () => slow,
  );
  await clock.advance(minuteMs);
  let done = () => {};
  slow = new Promise((resolve) => {
    done = resolve;
  });
  await clock.advance(2 * hourMs);
  const late = times.map((at, index) => (fired.get(uuidOf(index))?.[0]?.at ?? Number.NaN) - at);
  assert.deepEqual(late, [0, 0]);
  done();
  assert.equal((await scheduler.nextWake({})).at, null);
  await scheduler.close({});
  assert.ok([...fired.values()].every((runs) => runs.length === 1));
});
