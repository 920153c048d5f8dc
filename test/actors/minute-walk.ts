/** An independent reference for next runs: a walk over every minute of some days. */

export interface Pattern {
  minutes: number[];
  hours: number[];
  days: number[] | null;
  months: number[] | null;
  weekdays: number[] | null;
}

const minuteMs = 60_000;
/** Every zone changes its offset on a quarter of an hour of UTC. */
const quarterMs = 15 * minuteMs;

export interface Walk {
  from: number;
  walls: number[];
}

export function walkOf(zone: string, from: number, until: number): Walk {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const walls: number[] = [];
  for (let quarter = from; quarter < until; quarter += quarterMs) {
    const parts = new Map(format.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
    for (let minute = 0; minute < 15; minute += 1) walls.push(wall + minute * minuteMs);
  }
  return { from, walls };
}

function matches({ minutes, hours, days, months, weekdays }: Pattern, wall: number): boolean {
  const minute = Math.floor(wall / minuteMs) % 60;
  if (!minutes.includes(minute) || !hours.includes(Math.floor(wall / 3_600_000) % 24)) return false;
  const at = new Date(wall);
  if (months !== null && !months.includes(at.getUTCMonth() + 1)) return false;
  const onDay = days?.includes(at.getUTCDate());
  const onWeekday = weekdays?.includes(at.getUTCDay());
  if (onDay !== undefined && onWeekday !== undefined) return onDay || onWeekday;
  return onDay ?? onWeekday ?? true;
}

export function runsOf(pattern: Pattern, { from, walls }: Walk, after: number): number[] {
  const everyHour = pattern.hours.length === 24;
  const runs: number[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  let before = walls[0] ?? 0;
  // A plain loop, because there are very many minutes.
  for (let index = 0; index < walls.length; index += 1) {
    const wall = walls[index] ?? 0;
    let due = matches(pattern, wall);
    if (!everyHour) {
      if (wall <= latest) due = false; // The clock was set back; this time has been shown already.
      for (let skipped = before + minuteMs; skipped < wall; skipped += minuteMs) {
        due ||= skipped > latest && matches(pattern, skipped);
      }
    }
    const at = from + index * minuteMs;
    if (due && at > after) runs.push(at);
    latest = Math.max(latest, wall);
    before = wall;
  }
  return runs;
}
