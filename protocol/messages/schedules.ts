/** The library's calls for schedules: it stores them and decides what a due one becomes. */
import type { DateTime, Uuid } from "../scalars.ts";
import type { Schedule, ScheduleTiming } from "../schedules.ts";

export interface NewSchedule {
  name: string;
  scriptId: Uuid;
  profileIds: Uuid[];
  enabled: boolean;
  concurrency: number;
  staggerMs: number;
  timing: ScheduleTiming;
}

/** Absent fields stay as they are. */
export type ScheduleChanges = Partial<NewSchedule>;

export interface UpcomingSchedule {
  scheduleId: Uuid;
  timing: ScheduleTiming;
  /** IANA zone in which `at` was computed. */
  timezone: string;
  at: DateTime;
}

export interface ScheduleCalls {
  listSchedules(input: Record<string, never>): Promise<{ json: Uint8Array }>;
  /** Throws `not-found`. */
  readSchedule(input: { scheduleId: Uuid }): Promise<{ schedule: Schedule; timing: ScheduleTiming }>;
  /** Throws `not-found` (script), `invalid` (not approved; no Flow), `conflict` (unknown profile), `forbidden` (the plan's limits). */
  createSchedule(input: {
    schedule: NewSchedule;
    nextRun: DateTime | null;
    timezone: string;
  }): Promise<Schedule>;
  /** `nextRun` null: off; undefined: it stays. Throws as createSchedule, and `not-found` (schedule). */
  changeSchedule(input: {
    scheduleId: Uuid;
    changes: Omit<ScheduleChanges, "enabled">;
    nextRun?: DateTime | null;
    timezone: string;
  }): Promise<Schedule>;
  /** Those that are on, the next one first. */
  upcomingSchedules(input: { limit: number }): Promise<UpcomingSchedule[]>;
  /** Those that are on, with a next run computed in another zone; null: all. */
  schedulesNotIn(input: {
    timezone: string | null;
    offset: number;
    limit: number;
  }): Promise<UpcomingSchedule[]>;
  /** Skips a schedule whose next run is no longer `from`. */
  renewNextRuns(input: {
    renewals: { scheduleId: Uuid; from: DateTime; nextRun: DateTime }[];
    timezone: string;
  }): Promise<null>;
  /** Its runs stay. Throws `not-found`; with `unlessRunning`, `conflict` (a run of it is in progress). */
  deleteSchedule(input: { scheduleId: Uuid; unlessRunning?: boolean }): Promise<null>;
}
