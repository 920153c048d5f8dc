/** Durations and sizes as people write them: `1 h 30 min`, also read from `90m` and `1h30m`; `5 GiB`, from `5g`. Pure. */

/** A number of the service in a person's words, and back. */
export interface Measure {
  text(value: number): string;
  /** Null: not understood, or not a whole number of the service's unit. */
  read(text: string): number | null;
  /** What may be written instead. */
  remedy: string;
}

type Unit = readonly [name: string, size: number, ...otherNames: string[]];

/** The largest first; the first name is the one that is shown. */
const times: readonly Unit[] = [
  ["days", 86_400_000, "day", "d"],
  ["h", 3_600_000, "hours", "hour", "hr"],
  ["min", 60_000, "minutes", "minute", "mins", "m"],
  ["s", 1_000, "seconds", "second", "secs", "sec"],
  ["ms", 1],
];
const sizes: readonly Unit[] = [
  ["TiB", 1024 ** 2, "tb", "t"],
  ["GiB", 1024, "gb", "g"],
  ["MiB", 1, "mb", "m"],
];

function wordsOf(value: number, units: readonly Unit[]): string {
  const parts: string[] = [];
  let rest = value;
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${count === 1 && name === "days" ? "day" : name}`);
  }
  return parts.join(" ") || "0";
}

const pattern = /(\d+(?:\.\d+)?)\s*([a-z]+)\s*/g;

function sumOf(text: string, units: readonly Unit[]): number | null {
  const given = text.trim().toLowerCase();
  if (given === "0") return 0;
  let sum = 0;
  let understood = "";
  for (const [whole, count, name = ""] of given.matchAll(pattern)) {
    const unit = units.find(([first, , ...others]) => first.toLowerCase() === name || others.includes(name));
    if (unit === undefined) return null;
    sum += Number(count) * unit[1];
    understood += whole;
  }
  return understood === given && given !== "" ? sum : null;
}

/** Exact: each unit that is not zero. */
export const durationText = (ms: number): string => wordsOf(ms, times);

function durations(unitMs: number, remedy: string): Measure {
  return {
    text: (value) => durationText(value * unitMs),
    read(text) {
      const ms = sumOf(text, times);
      const value = ms === null ? null : ms / unitMs;
      return Number.isSafeInteger(value) ? value : null;
    },
    remedy,
  };
}

export const milliseconds = durations(1, "Write a duration, such as 500ms, 45s, 30m or 1h 30m.");
export const seconds = durations(1_000, "Write a duration in whole seconds, such as 45s, 30m or 1h 30m.");
export const days = durations(86_400_000, "Write a duration in whole days, such as 30d.");
export const mebibytes: Measure = {
  text: (value) => wordsOf(value, sizes),
  read(text) {
    const value = sumOf(text, sizes);
    return Number.isSafeInteger(value) ? value : null;
  },
  remedy: "Write a size, such as 500 MiB or 5 GiB.",
};
