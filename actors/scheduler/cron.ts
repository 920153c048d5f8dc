/** Parses crontab(5) expressions with cron-parser, item by item, into sets of numbers. */
import { CronExpressionParser } from "cron-parser";

export interface Recurrence {
  minutes: number[];
  hours: number[];
  /** True for every hour: such a recurrence also runs in an hour that the clock repeats. */
  everyHour: boolean;
  months: ReadonlySet<number>;
  /** `day` from 1, `weekday` from 0 (Sunday). Assumes a month in `months`. */
  isDay(day: number, weekday: number): boolean;
}

/** crontab(5), "Extensions". @reboot is excluded, because it names no time. */
const names: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields = [
  { name: "minute", key: "minute", words: [], range: "0-59", last: 59 },
  { name: "hour", key: "hour", words: [], range: "0-23", last: 23 },
  { name: "day of month", key: "dayOfMonth", words: [], range: "1-31", last: 31 },
  { name: "month", key: "month", words: months, range: "1-12 or jan-dec", last: 12 },
  {
    name: "day of week",
    key: "dayOfWeek",
    words: weekdays,
    range: "0-7 (0 and 7 are Sunday) or sun-sat",
    last: 7,
  },
] as const;

/** Throws an Error that names the invalid field and the reason. */
export function parseCron(expression: string): Recurrence {
  const text = expression.trim().toLowerCase();
  const given = (names[text] ?? text).split(/\s+/);
  if (given.length !== fields.length) {
    throw new Error(
      text.startsWith("@")
        ? `the names are ${Object.keys(names).join(", ")}`
        : `it has ${given[0] === "" ? 0 : given.length} fields, not 5`,
    );
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = given.map(valuesOf);
  const daySet = new Set(days);
  const weekdaySet = new Set(weekdays.map((weekday) => weekday % 7));
  // crontab(5): a day field that begins with * restricts nothing; two that do not are alternatives.
  const both = given[2]?.startsWith("*") || given[4]?.startsWith("*");
  return {
    minutes,
    hours,
    everyHour: hours.length === 24,
    months: new Set(months),
    isDay: (day, weekday) =>
      both ? daySet.has(day) && weekdaySet.has(weekday) : daySet.has(day) || weekdaySet.has(weekday),
  };
}

/** The numbers of a field. Parses item by item, because cron-parser refuses overlapping lists and crontab does not. */
function valuesOf(text: string, at: number): number[] {
  const field = fields[at];
  if (field === undefined) return [];
  const numbers = new Set<number>();
  for (const item of text.split(",")) {
    const wrong = (why: string) =>
      new Error(
        `its ${field.name} is ${JSON.stringify(text)}: ${why}; it takes ${field.range}, *, lists, ranges and steps`,
      );
    // Refuse cron-parser's extensions to crontab (L, #, ?, H, an empty item).
    if (!/^(\*|\w+(-\w+)?)(\/\d+)?$/.test(item)) throw wrong(`${JSON.stringify(item)} is not a valid item`);
    const strange = item
      .match(/[a-z_]\w*|\d+[a-z_]\w*/g)
      ?.find((word) => !field.words.some((known) => known === word));
    if (strange !== undefined) throw wrong(`${strange} is not a number`);
    try {
      const whole = fields.map((_, other) => (other === at ? untilSunday(item) : "*")).join(" ");
      for (const value of CronExpressionParser.parse(whole).fields[field.key].values)
        numbers.add(Number(value));
    } catch (error) {
      throw wrong(error instanceof Error ? error.message : String(error));
    }
  }
  return [...numbers].sort((a, b) => a - b);
}

/** Steps that crontab(5) does not have, and that other crons read in ways of their own. Throws an Error with the remedy. */
export function refuseDoubtful(expression: string): void {
  for (const [at, text] of expression.trim().toLowerCase().split(/\s+/).entries()) {
    const field = fields[at];
    for (const item of field === undefined ? [] : text.split(",")) {
      const [, from = "", to, step] = /^([^-/]+)(?:-([^/]+))?\/(\d+)$/.exec(item) ?? [];
      if (field === undefined || step === undefined) continue;
      if (Number(step) > field.last)
        throw new Error(
          `its ${field.name} has ${item}, a step beyond the field; write the one value that is meant`,
        );
      if (from !== "*" && to === undefined)
        throw new Error(
          `its ${field.name} has ${item}, a step without a range; write ${from}-${field.last}/${step}`,
        );
    }
  }
}

/** As the end of a range, Sunday is 7: `sat-sun` is the weekend. Only names of days can end so. */
function untilSunday(item: string): string {
  return item.replace(/^(\w+)-sun\b/, (range, from) =>
    from === "sun" || from === "0" ? range : `${from}-7`,
  );
}
