/** Timezones: what a wall clock shows at an instant, and the instants at which it shows a given time. */

const dayMs = 86_400_000;

/** A wall clock's reading: milliseconds since 1970 as if its zone were UTC. */
export type WallMs = number;

export interface Zone {
  /** IANA name. */
  name: string;
  /** What is added to an instant to get the wall clock's reading, in milliseconds. */
  offset(instant: number): number;
  /**
   * The instant at which the wall clock shows `wall`: the first when it does so twice; when it never does, being put
   * forward over it, the instant of that change (protocol/README.md, "Schedules").
   */
  instantOf(wall: WallMs): number;
}

/** Throws a RangeError for a name that is no zone. */
export function openZone(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  const offset = (instant: number) => offsetIn(format.format(instant));
  return {
    name,
    offset,
    instantOf(wall) {
      // No zone is a day from UTC, nor changes its offset twice within two days: one of these two holds at the time.
      const before = offset(wall - dayMs);
      const after = offset(wall + dayMs);
      if (before === after) return wall - before;
      const early = wall - before;
      if (offset(early) === before) return early;
      const late = wall - after;
      return offset(late) === after ? late : changeBetween(offset, late, early);
    },
  };
}

/** `… GMT-03:30`; nothing after GMT is no offset. */
function offsetIn(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (match === null) throw new Error(`no offset is to be read from ${text}`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -ms : ms;
}

/** The first instant after `before` with the offset that holds at `until`. */
function changeBetween(offset: Zone["offset"], before: number, until: number): number {
  const changed = offset(until);
  let low = before;
  let high = until;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle) === changed) high = middle;
    else low = middle;
  }
  return high;
}
