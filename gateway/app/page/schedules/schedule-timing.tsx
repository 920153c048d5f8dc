/** The timing of a schedule: the fields of each type, the body of a request, and a text. */
import type {
  CreateScheduleBody,
  IntervalUnit,
  Schedule,
  ScheduleType,
} from "../../../../protocol/schedules.ts";
import { Field } from "../parts/field.tsx";

export const scheduleTypes: { type: ScheduleType; label: string }[] = [
  { type: "daily", label: "Every day" },
  { type: "weekly", label: "Every week" },
  { type: "interval", label: "At intervals" },
  { type: "once", label: "Once" },
  { type: "cron", label: "Cron expression" },
];

const units: IntervalUnit[] = ["minutes", "hours", "days"];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export interface TimingDraft {
  type: ScheduleType;
  /** Local time, as in `<input type="datetime-local">`. */
  runAt: string;
  count: number;
  unit: IntervalUnit;
  time: string;
  day: number;
  cron: string;
}

export const firstTiming: TimingDraft = {
  type: "daily",
  runAt: "",
  count: 1,
  unit: "hours",
  time: "09:00",
  day: 1,
  cron: "",
};

/** Fields of other types begin as in a new schedule. */
export function givenTiming(schedule: Schedule): TimingDraft {
  const { scheduleType, runAt, intervalMinutes, intervalUnit, weeklyDay, cronExpr } = schedule;
  return {
    type: scheduleType,
    runAt: runAt === undefined ? firstTiming.runAt : localInput(new Date(runAt)),
    count: intervalMinutes ?? firstTiming.count,
    unit: intervalUnit ?? firstTiming.unit,
    time: schedule.dailyHour === undefined ? firstTiming.time : timeOfDay(schedule),
    day: weeklyDay ?? firstTiming.day,
    cron: cronExpr ?? firstTiming.cron,
  };
}

export function sameTiming(one: TimingDraft, other: TimingDraft): boolean {
  return JSON.stringify(timingBody(one)) === JSON.stringify(timingBody(other));
}

const two = (value = 0) => String(value).padStart(2, "0");

function timeOfDay({ dailyHour, dailyMinute }: Schedule): string {
  return `${two(dailyHour)}:${two(dailyMinute)}`;
}

/** As `<input type="datetime-local">` has it, with seconds, so that saving it again changes nothing. */
function localInput(at: Date): string {
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Only the fields of the type. */
export function timingBody(
  draft: TimingDraft,
): Omit<CreateScheduleBody, "name" | "script_id" | "profile_ids"> {
  const [daily_hour = 0, daily_minute = 0] = draft.time.split(":").map(Number);
  switch (draft.type) {
    case "once":
      return { schedule_type: "once", run_at: new Date(draft.runAt).toISOString() };
    case "interval":
      return { schedule_type: "interval", interval_minutes: draft.count, interval_unit: draft.unit };
    case "daily":
      return { schedule_type: "daily", daily_hour, daily_minute };
    case "weekly":
      return { schedule_type: "weekly", weekly_day: draft.day, daily_hour, daily_minute };
    case "cron":
      return { schedule_type: "cron", cron_expr: draft.cron };
  }
}

/** Such as `Mondays at 09:00`. */
export function timingWords(schedule: Schedule): string {
  const time = timeOfDay(schedule);
  switch (schedule.scheduleType) {
    case "once":
      return `once, ${new Date(schedule.runAt ?? "").toLocaleString()}`;
    case "interval":
      return `every ${schedule.intervalMinutes} ${schedule.intervalUnit ?? "minutes"}`;
    case "daily":
      return `every day at ${time}`;
    case "weekly":
      return `${weekdays[schedule.weeklyDay ?? 0]}s at ${time}`;
    case "cron":
      return `cron ${schedule.cronExpr}`;
  }
}

interface TimingProps {
  draft: TimingDraft;
  change(part: Partial<TimingDraft>): void;
}

export function TimingFields({ draft, change }: TimingProps) {
  switch (draft.type) {
    case "once":
      return (
        <Field label="Date and time">
          <input
            type="datetime-local"
            step="any"
            required
            value={draft.runAt}
            onInput={(event) => change({ runAt: event.currentTarget.value })}
          />
        </Field>
      );
    case "interval":
      return <IntervalFields draft={draft} change={change} />;
    case "daily":
      return <TimeField draft={draft} change={change} />;
    case "weekly":
      return (
        <div class="row">
          <Field label="Day of the week">
            <select
              value={draft.day}
              onChange={(event) => change({ day: Number(event.currentTarget.value) })}
            >
              {weekdays.map((name, day) => (
                <option key={name} value={day}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
          <TimeField draft={draft} change={change} />
        </div>
      );
    case "cron":
      return (
        <Field
          label="Cron expression"
          hint="Minute, hour, day of month, month, day of week: 30 8 * * mon-fri is 08:30 from Monday to Friday. Or @hourly, @daily, …"
        >
          <input
            required
            maxLength={256}
            spellcheck={false}
            value={draft.cron}
            onInput={(event) => change({ cron: event.currentTarget.value })}
          />
        </Field>
      );
  }
}

function TimeField({ draft, change }: TimingProps) {
  return (
    <Field label="Time of day">
      <input
        type="time"
        required
        value={draft.time}
        onInput={(event) => change({ time: event.currentTarget.value })}
      />
    </Field>
  );
}

function IntervalFields({ draft, change }: TimingProps) {
  const unitOf = (value: string) => units.find((unit) => unit === value) ?? "minutes";
  return (
    <div class="row">
      <Field label="Every">
        <input
          type="number"
          required
          min={1}
          max={525600}
          value={draft.count}
          onInput={(event) => change({ count: event.currentTarget.valueAsNumber || 0 })}
        />
      </Field>
      <Field label="Unit">
        <select value={draft.unit} onChange={(event) => change({ unit: unitOf(event.currentTarget.value) })}>
          {units.map((unit) => (
            <option key={unit}>{unit}</option>
          ))}
        </select>
      </Field>
    </div>
  );
}
