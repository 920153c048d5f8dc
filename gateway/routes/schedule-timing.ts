/** The timing fields of each schedule type, and the timing that a body means. */
import { Fault } from "../../protocol/faults.ts";
import type {
  CreateScheduleBody,
  PatchScheduleBody,
  ScheduleTiming,
  ScheduleType,
} from "../../protocol/schedules.ts";

const timingFields = [
  "run_at",
  "interval_minutes",
  "interval_unit",
  "daily_hour",
  "daily_minute",
  "weekly_day",
  "cron_expr",
] as const;
type TimingField = (typeof timingFields)[number];
type TimingFields = Pick<CreateScheduleBody, TimingField>;

/** protocol/README.md, "Schedules". */
const fieldsOfType: Record<ScheduleType, { needs: TimingField[]; may: TimingField[] }> = {
  once: { needs: ["run_at"], may: [] },
  interval: { needs: ["interval_minutes"], may: ["interval_unit"] },
  daily: { needs: ["daily_hour", "daily_minute"], may: [] },
  weekly: { needs: ["weekly_day", "daily_hour", "daily_minute"], may: [] },
  cron: { needs: ["cron_expr"], may: [] },
};

/** Throws `invalid`, naming the fields that are missing or belong to another type. */
export function timingOf(body: TimingFields & Pick<CreateScheduleBody, "schedule_type">): ScheduleTiming {
  const { schedule_type: type } = body;
  const { needs, may } = fieldsOfType[type];
  const stray = timingFields.filter(
    (field) => body[field] !== undefined && !needs.includes(field) && !may.includes(field),
  );
  const missing = needs.filter((field) => body[field] === undefined);
  if (stray.length > 0) {
    const takes = [...needs, ...may.map((field) => `${field} (optional)`)].join(", ");
    throw new Fault(
      "invalid",
      `${stray.join(", ")} must be left out for schedule_type ${type}, which takes ${takes}, got ${stray
        .map((field) => JSON.stringify(body[field]))
        .join(", ")}`,
    );
  }
  const given = <Field extends TimingField>(field: Field): NonNullable<TimingFields[Field]> => {
    const value = body[field];
    if (value !== undefined && missing.length === 0) return value;
    const verb = missing.length > 1 ? "are" : "is";
    throw new Fault("invalid", `${missing.join(", ")} ${verb} required for schedule_type ${type}`);
  };
  switch (type) {
    case "once":
      return { type, runAt: instantOf(given("run_at")) };
    case "interval":
      return { type, count: given("interval_minutes"), unit: body.interval_unit ?? "minutes" };
    case "daily":
      return { type, hour: given("daily_hour"), minute: given("daily_minute") };
    case "weekly":
      return { type, day: given("weekly_day"), hour: given("daily_hour"), minute: given("daily_minute") };
    case "cron":
      return { type, expression: given("cron_expr") };
  }
}

/** The timing after a change; null: it stays. Throws as `timingOf`. */
export function changedTiming(body: PatchScheduleBody, before: ScheduleTiming): ScheduleTiming | null {
  const { schedule_type: type = before.type } = body;
  const given = timingFields.filter((field) => body[field] !== undefined);
  if (given.length === 0 && type === before.type) return null;
  const kept = type === before.type ? fieldsOf(before) : {};
  const fields = Object.fromEntries(given.map((field) => [field, body[field]]));
  return timingOf({ schedule_type: type, ...kept, ...fields });
}

function fieldsOf(timing: ScheduleTiming): TimingFields {
  switch (timing.type) {
    case "once":
      return { run_at: timing.runAt };
    case "interval":
      return { interval_minutes: timing.count, interval_unit: timing.unit };
    case "daily":
      return { daily_hour: timing.hour, daily_minute: timing.minute };
    case "weekly":
      return { weekly_day: timing.day, daily_hour: timing.hour, daily_minute: timing.minute };
    case "cron":
      return { cron_expr: timing.expression };
  }
}

/** RFC 3339 5.6. `Date` reads more, and moves days that do not exist to the next month. */
const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function instantOf(text: string): string {
  const day = rfc3339.exec(text)?.[1];
  const at = Date.parse(text.toUpperCase().replace(" ", "T"));
  const dayAt = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at) || Number.isNaN(dayAt) || new Date(dayAt).toISOString().slice(0, 10) !== day) {
    throw new Fault(
      "invalid",
      `run_at must be an RFC 3339 date and time with offset, such as 2027-03-28T09:30:00+02:00, got ${JSON.stringify(text)}`,
    );
  }
  const instant = new Date(at).toISOString();
  // With its offset a time can be outside the years that RFC 3339 can write.
  if (!/^\d{4}-/.test(instant))
    throw new Fault(
      "invalid",
      `run_at must be in the years 0000 to 9999 as UTC too, got ${JSON.stringify(text)}`,
    );
  return instant;
}
