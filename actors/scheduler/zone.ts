/** Converts between instants and wall clock readings of a time zone. */

const dayMs = 86_400_000;

/** Milliseconds since 1970 as if the zone were UTC. */
export type WallMs = number;

export interface Zone {
  name: string;
  /** Milliseconds to add to an instant for its wall clock reading. */
  offset(instant: number): number;
  /**
   * The instant at which the wall clock shows `wall`: the first of two, or the clock change if `wall` is skipped (protocol/README.md,
   * "Schedules").
   */
  instantOf(wall: WallMs): number;
}

/** Throws a RangeError for an unknown zone. */
export function openZone(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  const offset = (instant: number) => offsetIn(format.format(instant));
  return {
    name,
    offset,
    instantOf(wall) {
      // Offsets are below a day, and change at most once in two days: one of these two applies.
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

function offsetIn(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (match === null) throw new Error(`no offset is to be read from ${text}`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -ms : ms;
}

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
