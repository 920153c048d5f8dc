/** A year of a hundred schedules on a manual clock, compared with a walk over each minute. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { nextRun } from "../../actors/scheduler/next-run.ts";
import { openZone } from "../../actors/scheduler/zone.ts";
import type { IntervalUnit, ScheduleTiming } from "../../protocol/schedules.ts";
import { type Pattern, runsOf, walkOf } from "./minute-walk.ts";
import { startStandIn, uuidOf } from "./stand-in-schedules.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const zone = "America/New_York";
const any = { days: null, months: null, weekdays: null };

interface Planned {
  timing: ScheduleTiming;
  /** null: an interval. */
  pattern: Pattern | null;
}

function hundred(): Planned[] {
  return Array.from({ length: 100 }, (_, n): Planned => {
    const [minute, hour, day] = [(n * 7) % 60, n % 24, n % 7];
    const times = { minutes: [minute], hours: [hour], ...any };
    const cron = (expression: string, pattern: Pattern): Planned => ({
      timing: { type: "cron", expression },
      pattern,
    });
    switch (n % 6) {
      case 0:
        return { timing: { type: "daily", hour, minute }, pattern: times };
      case 1:
        return { timing: { type: "weekly", day, hour, minute }, pattern: { ...times, weekdays: [day] } };
      case 2: {
        const unit: IntervalUnit = n % 4 === 0 ? "hours" : "minutes";
        return { timing: { type: "interval", count: unit === "hours" ? n : 90 + n, unit }, pattern: null };
      }
      case 3:
        return cron(`${minute} 1,2,3,${4 + (n % 20)} * * *`, { ...times, hours: [1, 2, 3, 4 + (n % 20)] });
      case 4:
        return cron(`${minute} * * * 1-5`, {
          ...times,
          hours: Array.from({ length: 24 }, (_, at) => at),
          weekdays: [1, 2, 3, 4, 5],
        });
      default:
        return cron(`${minute} ${hour} 29,31 * ${day}`, { ...times, days: [29, 31], weekdays: [day] });
    }
  });
}

test("in a year, each of 100 schedules runs at the times of a walk over every minute, and never twice", async () => {
  const start = Date.parse("2027-12-31T12:34:56Z"); // The next year is a leap year, with both clock changes.
  const yearMs = 366 * dayMs;
  const clock = new ManualClock(start);
  const opened = openZone(zone);
  const planned = hundred();
  const began = process.cpuUsage(); // CPU time, because other tests share the cores.
  const { scheduler, fired } = startStandIn(
    clock,
    zone,
    planned.map(({ timing }) => ({ timing, at: nextRun(timing, start, start, opened) ?? 0 })),
  );
  await clock.advance(yearMs);
  await scheduler.close({});
  const { user, system } = process.cpuUsage(began);
  const took = (user + system) / 1_000;

  const walk = walkOf(zone, Math.floor(start / dayMs) * dayMs, start + yearMs + minuteMs);
  let runs = 0;
  for (const [index, { timing, pattern }] of planned.entries()) {
    const expected =
      timing.type === "interval"
        ? everyStep(timing.count * (timing.unit === "hours" ? hourMs : minuteMs), start, start + yearMs)
        : runsOf(pattern ?? assert.fail(), walk, start).filter((at) => at <= start + yearMs);
    const actual = fired.get(uuidOf(index)) ?? [];
    assert.deepEqual(
      actual.map(({ due }) => Date.parse(due)),
      expected,
      JSON.stringify(timing),
    );
    assert.ok(actual.every(({ due, at, missed }) => at === Date.parse(due) && !missed));
    runs += actual.length;
  }
  assert.ok(runs > 100_000, `only ${runs} runs`);
  assert.ok(took < 60_000, `a year took ${took.toFixed(0)} ms of processor time`);
});

function everyStep(step: number, start: number, end: number): number[] {
  return Array.from({ length: Math.floor((end - start) / step) }, (_, index) => start + (index + 1) * step);
}
