/** Calculates when a schedule runs next (protocol/README.md, "Schedules"). Pure; daily, weekly and cron share one rule. */
import type { IntervalUnit, ScheduleTiming } from "../../protocol/schedules.ts";
import { parseCron, type Recurrence } from "./cron.ts";
import type { Zone } from "./zone.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const unitMs: Record<IntervalUnit, number> = { minutes: minuteMs, hours: hourMs, days: dayMs };

/** 29 February on a given weekday comes every 28 years, or 40 across the year 2100. */
const yearsMax = 41;

/**
 * The first run after the instant `after`; null if there is none. An interval counts from `since`, its activation or last due time.
 * Throws an Error for an invalid cron expression.
 */
export function nextRun(timing: ScheduleTiming, after: number, since: number, zone: Zone): number | null {
  if (timing.type === "once") {
    const at = Date.parse(timing.runAt);
    return at > after ? at : null;
  }
  if (timing.type === "interval") {
    const step = timing.count * unitMs[timing.unit];
    return since + (Math.max(0, Math.floor((after - since) / step)) + 1) * step;
  }
  const recurrence = recurrenceOf(timing);
  return recurrence.everyHour
    ? nextOfEveryHour(recurrence, after, zone)
    : nextOfTimes(recurrence, after, zone);
}

const parsedMax = 1_000;
const parsed = new Map<string, Recurrence>();

function recurrenceOf(timing: Exclude<ScheduleTiming, { type: "once" | "interval" }>): Recurrence {
  if (timing.type === "cron") {
    const known = parsed.get(timing.expression);
    if (known !== undefined) return known;
    if (parsed.size >= parsedMax) parsed.clear();
    const recurrence = parseCron(timing.expression);
    parsed.set(timing.expression, recurrence);
    return recurrence;
  }
  const { hour, minute } = timing;
  const weekday = timing.type === "weekly" ? timing.day : null;
  return {
    minutes: [minute],
    hours: [hour],
    everyHour: false,
    months: everyMonth,
    isDay: (_, day) => weekday === null || day === weekday,
  };
}

const everyMonth: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);

/** Midnights (wall clock) of matching days, from the day of `wall` on. */
function* daysFrom(wall: number, { months, isDay }: Recurrence): Generator<number> {
  const start = new Date(wall);
  const lastYear = start.getUTCFullYear() + yearsMax;
  let year = start.getUTCFullYear();
  let month = start.getUTCMonth();
  let day = start.getUTCDate();
  while (year <= lastYear) {
    const days = months.has(month + 1) ? new Date(Date.UTC(year, month + 1, 0)).getUTCDate() : 0;
    for (; day <= days; day += 1) {
      const midnight = Date.UTC(year, month, day);
      if (isDay(day, new Date(midnight).getUTCDay())) yield midnight;
    }
    day = 1;
    month = (month + 1) % 12;
    if (month === 0) year += 1;
  }
}

/** Fixed times: each once per day, even if it occurs twice. A time that the clock skips runs at the jump. */
function nextOfTimes(recurrence: Recurrence, after: number, zone: Zone): number | null {
  const wallNow = after + zone.offset(after);
  for (const midnight of daysFrom(wallNow, recurrence)) {
    for (const hour of recurrence.hours) {
      for (const minute of recurrence.minutes) {
        const wall = midnight + hour * hourMs + minute * minuteMs;
        if (wall <= wallNow) continue;
        const at = zone.instantOf(wall);
        if (at > after) return at;
      }
    }
  }
  return null;
}

/** Every hour: whenever the wall clock shows a matching minute, also in a repeated hour. */
function nextOfEveryHour(recurrence: Recurrence, after: number, zone: Zone): number | null {
  const { minutes } = recurrence;
  let at = (Math.floor(after / minuteMs) + 1) * minuteMs;
  for (;;) {
    const offset = zone.offset(at);
    const wall = at + offset;
    const midnight: number | undefined = daysFrom(wall, recurrence).next().value ?? undefined;
    if (midnight === undefined) return null;
    if (midnight > wall) {
      // In a repeated hour, midnight's first instant can be in the past.
      at = Math.max(at + minuteMs, zone.instantOf(midnight));
      continue;
    }
    const minute = Math.floor(wall / minuteMs) % 60;
    if (minutes.includes(minute)) return at;
    const step = ((minutes.find((other) => other > minute) ?? 60) - minute) * minuteMs;
    // A clock change in between can show a matching minute earlier: go minute by minute.
    at += zone.offset(at + step) === offset ? step : minuteMs;
  }
}
