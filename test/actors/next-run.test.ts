/** Next runs of schedules, compared with a walk over every minute, in zones with all kinds of clock changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCron, refuseDoubtful } from "../../actors/scheduler/cron.ts";
import { nextRun } from "../../actors/scheduler/next-run.ts";
import { openZone } from "../../actors/scheduler/zone.ts";
import type { ScheduleTiming } from "../../protocol/schedules.ts";
import { type Pattern, runsOf, type Walk, walkOf } from "./minute-walk.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

function generator(seed: number) {
  let state = seed;
  const below = (end: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  return { below, pick: <T>(items: readonly T[]): T => items[below(items.length)] as T };
}
type Random = ReturnType<typeof generator>;

/** Days before a clock change, a leap day, a new year or nothing, in zones of every kind. */
const places: [zone: string, days: string[]][] = [
  ["America/New_York", ["2026-03-07", "2026-10-31", "2028-02-28"]],
  ["Europe/Berlin", ["2026-03-28", "2026-10-24", "2026-12-30"]],
  ["Australia/Lord_Howe", ["2026-04-03", "2026-10-02"]],
  ["Australia/Adelaide", ["2026-04-03", "2026-10-02", "2028-02-27"]],
  ["America/St_Johns", ["2026-03-07", "2026-10-31"]],
  ["America/Santiago", ["2026-04-03", "2026-09-04"]], // At midnight.
  ["Africa/Cairo", ["2026-04-22", "2026-10-28"]], // At midnight.
  ["America/Havana", ["2026-03-07", "2026-10-31"]],
  ["Africa/Casablanca", ["2026-02-14", "2026-03-21"]], // Set back for Ramadan.
  ["Antarctica/Troll", ["2026-03-28", "2026-10-24"]], // By two hours.
  ["Pacific/Apia", ["2011-12-28"]], // A day is left out.
  ["Asia/Kolkata", ["2026-06-14", "2028-02-28"]],
  ["Asia/Kathmandu", ["2026-06-14"]],
  ["Pacific/Chatham", ["2026-04-03", "2026-09-25"]],
  ["UTC", ["2028-02-28", "2099-12-30"]],
];

function field({ below, pick }: Random, low: number, high: number): { text: string; values: number[] } {
  const start = low + below(high - low + 1);
  const end = start + below(high - start + 1);
  const step = 1 + below(Math.max(1, Math.floor((high - low) / 2)));
  const values = (from: number, to: number, by: number) =>
    Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
  return pick([
    () => ({ text: `${start}`, values: [start] }),
    () => ({ text: `${start},${end}`, values: [start, end] }),
    () => ({ text: `${start}-${end}`, values: values(start, end, 1) }),
    () => ({ text: `${start}-${end}/${step}`, values: values(start, end, step) }),
    () => ({ text: `*/${step}`, values: values(low, high, step) }),
    () => ({ text: "*", values: values(low, high, 1) }),
  ])();
}

function randomCron(random: Random): { timing: ScheduleTiming; pattern: Pattern } {
  const { below, pick } = random;
  const minutes = field(random, 0, 59);
  const hours = below(2) === 0 ? field(random, 0, 3) : field(random, 0, 23);
  if (hours.text === "*") hours.values = Array.from({ length: 24 }, (_, hour) => hour);
  if (hours.text.startsWith("*/")) {
    hours.values = Array.from({ length: 24 }, (_, hour) => hour).filter(
      (hour) => hour % Number(hours.text.slice(2)) === 0,
    );
  }
  const any = { text: "*", values: null };
  const days = below(4) === 0 ? pick([field(random, 1, 31), { text: "29", values: [29] }]) : any;
  const months = below(6) === 0 ? field(random, 1, 12) : any;
  const weekdays = below(4) === 0 ? field(random, 0, 6) : any;
  // Both fields must match when a day field begins with *, which sets cannot express.
  if (days.text.startsWith("*") || weekdays.text.startsWith("*")) {
    if (days.text !== "*" && weekdays.text !== "*") Object.assign(weekdays, { text: "*", values: null });
  }
  const expression = [minutes, hours, days, months, weekdays].map(({ text }) => text).join(" ");
  const sets = (part: { text: string; values: number[] | null }) => (part.text === "*" ? null : part.values);
  const pattern = {
    minutes: minutes.values,
    hours: hours.values,
    days: sets(days),
    months: sets(months),
    weekdays: sets(weekdays),
  };
  return { timing: { type: "cron", expression }, pattern };
}

function randomSchedule(random: Random): { timing: ScheduleTiming; pattern: Pattern } {
  const { below } = random;
  const [hour, minute, day] = [below(2) === 0 ? below(4) : below(24), below(60), below(7)];
  const pattern = { minutes: [minute], hours: [hour], days: null, months: null, weekdays: null };
  const kind = below(5);
  if (kind === 0) return { timing: { type: "daily", hour, minute }, pattern };
  if (kind === 1)
    return { timing: { type: "weekly", day, hour, minute }, pattern: { ...pattern, weekdays: [day] } };
  return randomCron(random);
}

function chain(timing: ScheduleTiming, after: number, zone: string, { from, walls }: Walk): number[] {
  const opened = openZone(zone);
  const end = from + walls.length * minuteMs;
  const runs: number[] = [];
  for (let at = nextRun(timing, after, after, opened); at !== null && at < end; ) {
    runs.push(at);
    at = nextRun(timing, at, at, opened);
  }
  return runs;
}

test("400 random schedules run when a walk over every minute says so", () => {
  const random = generator(20261121);
  const walks = places.flatMap(([zone, days]) =>
    days.map((day) => {
      const from = Date.parse(`${day}T00:00:00Z`) - dayMs;
      return { zone, walk: walkOf(zone, from, from + 4 * dayMs) };
    }),
  );
  let compared = 0;
  for (let count = 0; count < 400; count += 1) {
    const { zone, walk } = walks[count % walks.length] ?? assert.fail();
    const { timing, pattern } = randomSchedule(random);
    // Any instant, not only whole minutes. The walk starts earlier, to know the times already shown.
    const after = walk.from + dayMs + random.below(2 * dayMs);
    const expected = runsOf(pattern, walk, after);
    const actual = chain(timing, after, zone, walk);
    const where = `${JSON.stringify(timing)} in ${zone} after ${new Date(after).toISOString()}`;
    assert.deepEqual(
      actual.map((at) => new Date(at).toISOString()),
      expected.map((at) => new Date(at).toISOString()),
      where,
    );
    compared += expected.length;
  }
  assert.ok(compared > 4_000, `only ${compared} runs were compared`);
});

const first = (timing: ScheduleTiming, after: string, zone = "UTC", since = after) => {
  const at = nextRun(timing, Date.parse(after), Date.parse(since), openZone(zone));
  return at === null ? null : new Date(at).toISOString();
};
const cron = (expression: string): ScheduleTiming => ({ type: "cron", expression });

test("a time that the clock skips runs at the change, and a repeated time runs once", () => {
  const daily: ScheduleTiming = { type: "daily", hour: 2, minute: 30 };
  assert.equal(first(daily, "2026-03-08T05:00:00Z", "America/New_York"), "2026-03-08T07:00:00.000Z");
  assert.equal(first(daily, "2026-03-08T07:00:00Z", "America/New_York"), "2026-03-09T06:30:00.000Z");
  const twice: ScheduleTiming = { type: "daily", hour: 1, minute: 30 };
  assert.equal(first(twice, "2026-11-01T05:00:00Z", "America/New_York"), "2026-11-01T05:30:00.000Z");
  assert.equal(first(twice, "2026-11-01T05:30:00Z", "America/New_York"), "2026-11-02T06:30:00.000Z");
  assert.equal(
    first(cron("*/30 * * * *"), "2026-11-01T05:30:00Z", "America/New_York"),
    "2026-11-01T06:00:00.000Z",
  );
});

test("leap days are found, also across 2100, and a date that never comes gives null", () => {
  assert.equal(first(cron("0 0 29 2 *"), "2026-01-01T00:00:00Z"), "2028-02-29T00:00:00.000Z");
  assert.equal(first(cron("0 0 29 2 *"), "2096-03-01T00:00:00Z"), "2104-02-29T00:00:00.000Z");
  assert.equal(first(cron("0 0 29 2 */7"), "2072-03-01T00:00:00Z"), "2088-02-29T00:00:00.000Z");
  assert.equal(first(cron("0 0 30 2 *"), "2026-01-01T00:00:00Z"), null);
});

test("an interval counts elapsed time from its last due time, and skips past due times", () => {
  const every: ScheduleTiming = { type: "interval", count: 2, unit: "hours" };
  assert.equal(first(every, "2026-01-01T00:00:00Z"), "2026-01-01T02:00:00.000Z");
  assert.equal(
    first(every, "2026-01-01T09:10:00Z", "UTC", "2026-01-01T02:00:00Z"),
    "2026-01-01T10:00:00.000Z",
  );
  const days: ScheduleTiming = { type: "interval", count: 1, unit: "days" };
  assert.equal(first(days, "2026-03-07T12:00:00Z", "America/New_York"), "2026-03-08T12:00:00.000Z");
});

test("type once runs at its instant, and not again", () => {
  const once: ScheduleTiming = { type: "once", runAt: "2026-06-01T10:00:00.000Z" };
  assert.equal(first(once, "2026-06-01T09:59:59.999Z"), "2026-06-01T10:00:00.000Z");
  assert.equal(first(once, "2026-06-01T10:00:00Z"), null);
});

test("the expressions of common crontab pages have the meaning given there", () => {
  const after = "2026-11-21T14:41:00Z"; // A Saturday.
  const expected: Record<string, string> = {
    "* * * * *": "2026-11-21T14:42:00.000Z",
    "*/5 * * * *": "2026-11-21T14:45:00.000Z",
    "5/15 * * * *": "2026-11-21T14:50:00.000Z",
    "5 0 * * *": "2026-11-22T00:05:00.000Z",
    "15 14 1 * *": "2026-12-01T14:15:00.000Z",
    "0 22 * * 1-5": "2026-11-23T22:00:00.000Z",
    "23 0-20/2 * * *": "2026-11-21T16:23:00.000Z",
    "5 4 * * sun": "2026-11-22T04:05:00.000Z",
    "0 4 8-14 * *": "2026-12-08T04:00:00.000Z",
    "30 4 1,15 * 5": "2026-11-27T04:30:00.000Z",
    "0 0 */2 * mon": "2026-11-23T00:00:00.000Z",
    "0 0 1 JAN *": "2027-01-01T00:00:00.000Z",
    "0 0 * * 7": "2026-11-22T00:00:00.000Z",
    "0 0 * * fri-sun": "2026-11-22T00:00:00.000Z",
    "0 9-17/4,20 * nov-dec mon,wed,fri": "2026-11-23T09:00:00.000Z",
    "1-5,3,5 * * * *": "2026-11-21T15:01:00.000Z",
    "  0   12 * * * ": "2026-11-22T12:00:00.000Z",
    "@hourly": "2026-11-21T15:00:00.000Z",
    "@daily": "2026-11-22T00:00:00.000Z",
    "@midnight": "2026-11-22T00:00:00.000Z",
    "@weekly": "2026-11-22T00:00:00.000Z",
    "@monthly": "2026-12-01T00:00:00.000Z",
    "@yearly": "2027-01-01T00:00:00.000Z",
    "@annually": "2027-01-01T00:00:00.000Z",
  };
  for (const [expression, at] of Object.entries(expected)) {
    assert.equal(first(cron(expression), after), at, expression);
  }
});

test("an invalid expression is refused, with the wrong field", () => {
  const refused: [string, RegExp][] = [
    ["", /0 fields/],
    ["* * * *", /4 fields/],
    ["* * * * * *", /6 fields/],
    ["60 * * * *", /its minute is "60"/],
    ["* 24 * * *", /its hour is "24"/],
    ["0 0 0 * *", /its day of month is "0"/],
    ["0 0 * 13 *", /its month is "13"/],
    ["0 0 * * 8", /its day of week is "8"/],
    ["a b c d e", /its minute is "a": a is not a number/],
    ["*/0 * * * *", /its minute/],
    ["5-1 * * * *", /its minute/],
    ["1,,2 * * * *", /"" is not a valid item/],
    ["-1 * * * *", /its minute/],
    ["1.5 * * * *", /its minute/],
    ["* * L * *", /its day of month/],
    ["* * ? * *", /its day of month/],
    ["H * * * *", /its minute/],
    ["* * * * mon#2", /its day of week/],
    ["* * mon * *", /its day of month/],
    ["* * * mon *", /its month/],
    ["1-2-3 * * * *", /its minute/],
    ["@never", /@hourly/],
    ["@reboot", /@hourly/],
    ["every day at noon please", /its minute/],
  ];
  for (const [expression, message] of refused)
    assert.throws(() => parseCron(expression), message, expression);
});

test("a range of days may end with Sunday, and a doubtful step is refused with the remedy", () => {
  const days = (expression: string) => {
    const { isDay } = parseCron(expression);
    return [0, 1, 2, 3, 4, 5, 6].filter((weekday) => isDay(1, weekday));
  };
  assert.deepEqual(days("0 0 * * sat-sun"), [0, 6]);
  assert.deepEqual(days("0 0 * * fri-sun"), [0, 5, 6]);
  assert.deepEqual(days("0 0 * * sun-tue"), [0, 1, 2]);
  assert.deepEqual(days("0 0 * * 6-7"), [0, 6]);
  assert.throws(() => refuseDoubtful("*/70 * * * *"), /its minute has \*\/70, a step beyond the field/);
  assert.throws(() => refuseDoubtful("5/15 * * * *"), /write 5-59\/15/);
  assert.throws(() => refuseDoubtful("0 0 * * mon/2"), /its day of week has mon\/2/);
  for (const plain of ["*/15 1-9/2 * jan-mar mon-fri", "@daily", "5-59/15 * * * *"]) refuseDoubtful(plain);
});
