/** Schedules: the record, the request that creates one, and its timing (protocol/README.md, "Schedules"). */
import type { tags } from "typia";
import type { Count, DateTime, RunStatus, Uuid } from "./scalars.ts";

/**
 * once: at `run_at`. interval: every `interval_minutes` × `interval_unit`, counted from when the schedule was turned on.
 * daily: at `daily_hour`:`daily_minute`. weekly: the same on `weekly_day`. cron: as `cron_expr` says.
 */
export type ScheduleType = "once" | "interval" | "daily" | "weekly" | "cron";

/** What `interval_minutes` counts; a day is 24 hours. */
export type IntervalUnit = "minutes" | "hours" | "days";

export type Hour = number & tags.Type<"uint32"> & tags.Maximum<23>;

export type Minute = number & tags.Type<"uint32"> & tags.Maximum<59>;

/** 0 is Sunday. */
export type Weekday = number & tags.Type<"uint32"> & tags.Maximum<6>;

/** Units between two runs. */
export type IntervalCount = number & tags.Type<"uint32"> & tags.Minimum<1> & tags.Maximum<525600>;

/** A crontab expression of 5 fields, or a name such as `@daily`. */
export type CronExpression = string & tags.MinLength<1> & tags.MaxLength<256>;

/** Only the fields of one type. */
export type ScheduleTiming =
  | { type: "once"; runAt: DateTime }
  | { type: "interval"; count: IntervalCount; unit: IntervalUnit }
  | { type: "daily"; hour: Hour; minute: Minute }
  | { type: "weekly"; day: Weekday; hour: Hour; minute: Minute }
  | { type: "cron"; expression: CronExpression };

export interface DueTime {
  at: DateTime;
  /** The run after it; null turns the schedule off. */
  nextRun: DateTime | null;
  /** Came due while the service was off: becomes a skipped run. */
  missed: boolean;
}

/** A schedule: a script, its profiles, the timing, next and last run. */
export interface Schedule {
  id: Uuid;
  name: string;
  scheduleType: ScheduleType;
  scriptId: Uuid;
  profileIds: Uuid[];
  enabled: boolean;
  /** Profiles driven at the same time; null means the browser pool's `max`. */
  concurrency: Count | null;
  /** Least time between two starts of one run, in milliseconds. */
  staggerMs: Count;
  /** Of type once only. */
  runAt?: DateTime;
  /** Of type interval only: a count of `intervalUnit`. */
  intervalMinutes?: IntervalCount;
  /** Of type interval only. */
  intervalUnit?: IntervalUnit;
  /** Of types daily and weekly only. */
  dailyHour?: Hour;
  /** Of types daily and weekly only. */
  dailyMinute?: Minute;
  /** Of type weekly only; 0 is Sunday. */
  weeklyDay?: Weekday;
  /** Of type cron only. */
  cronExpr?: CronExpression;
  /** IANA timezone of its times and days: the machine's. */
  timezone: string;
  /** Null when it is off. */
  nextRun: DateTime | null;
  /** Includes skipped runs and runs started by hand; null before the first. */
  lastRunId: Uuid | null;
  lastRunStatus: RunStatus | null;
  lastRunAt: DateTime | null;
  createdAt: DateTime;
}

/** `POST /v1/schedules`. Takes the general fields and exactly those of the `schedule_type`; a field of another type is refused. */
export interface CreateScheduleBody {
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  schedule_type: ScheduleType;
  /** An approved script. If the approval is gone when a run is due, that run is skipped. */
  script_id: Uuid;
  /** At least one profile. An id given twice counts once. */
  profile_ids: Uuid[] & tags.MinItems<1> & tags.MaxItems<10000>;
  /** Default true. */
  enabled?: boolean;
  /** Profiles driven at the same time, from 1 to the browser pool's `max` (the default). */
  concurrency?: number & tags.Type<"uint32"> & tags.Minimum<1>;
  /** Least time between two starts of one run, in milliseconds. */
  stagger_ms?: number & tags.Type<"uint32"> & tags.Maximum<600000>;
  /** Required for type cron: minute, hour, day of month, month, day of week, as in crontab(5). */
  cron_expr?: CronExpression;
  /** Required for types daily and weekly, in the machine's timezone. */
  daily_hour?: Hour;
  /** Required for types daily and weekly. */
  daily_minute?: Minute;
  /** Required for type weekly; 0 is Sunday. */
  weekly_day?: Weekday;
  /** Required for type interval: a count of `interval_unit`. */
  interval_minutes?: IntervalCount;
  /** For type interval; default minutes. */
  interval_unit?: IntervalUnit;
  /** Required for type once: RFC 3339 with offset, in the future. */
  run_at?: DateTime;
}

/** An absent field stays as it is. The timing fields of another `schedule_type` come together with it. */
export interface PatchScheduleBody extends Partial<Omit<CreateScheduleBody, "concurrency">> {
  /** null: the browser pool's `max`. */
  concurrency?: (number & tags.Type<"uint32"> & tags.Minimum<1>) | null;
}

export interface ScheduleEnabledBody {
  /** Turning on recomputes the next run, even if it is on already. */
  enabled: boolean;
}

export interface ScheduleRequestShapes {
  CreateScheduleBody: CreateScheduleBody;
  PatchScheduleBody: PatchScheduleBody;
  ScheduleEnabledBody: ScheduleEnabledBody;
}
