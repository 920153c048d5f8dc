/** The library's calls for schedules: it keeps them and decides what a firing becomes; the scheduler knows the time. */
import type { DateTime, Uuid } from "../scalars.ts";
import type { Schedule, ScheduleTiming } from "../schedules.ts";

/** A schedule that somebody asks for. */
export interface NewSchedule {
  name: string;
  scriptId: Uuid;
  profileIds: Uuid[];
  enabled: boolean;
  /** 0 means the browser pool's `max`. */
  concurrency: number;
  staggerMs: number;
  timing: ScheduleTiming;
}

/** A schedule that is on, as the scheduler needs it. */
export interface UpcomingSchedule {
  scheduleId: Uuid;
  timing: ScheduleTiming;
  /** IANA zone that `at` was worked out in. */
  timezone: string;
  /** When it is to run. */
  at: DateTime;
}

export interface ScheduleCalls {
  /** The JSON bytes of the array of Schedule records, oldest first. */
  listSchedules(input: Record<string, never>): Promise<{ json: Uint8Array }>;
  /** Throws `not-found`. */
  readSchedule(input: { scheduleId: Uuid }): Promise<{ schedule: Schedule; timing: ScheduleTiming }>;
  /**
   * Throws `not-found` (script), `invalid` (the script is not approved, the plan lacks Flow), `conflict` (a profile does
   * not exist), `forbidden` (the plan's schedule limit, or parallel runs).
   */
  createSchedule(input: {
    schedule: NewSchedule;
    nextRun: DateTime | null;
    timezone: string;
  }): Promise<Schedule>;
  /** On when `nextRun` is not null. Throws `not-found`. */
  setScheduleNextRun(input: {
    scheduleId: Uuid;
    nextRun: DateTime | null;
    timezone: string;
  }): Promise<Schedule>;
  /** Those that are on, the next to run first. */
  upcomingSchedules(input: { limit: number }): Promise<UpcomingSchedule[]>;
  /** Those that are on and whose next run was worked out in another zone than this; null for those of any zone. */
  schedulesNotIn(input: {
    timezone: string | null;
    offset: number;
    limit: number;
  }): Promise<UpcomingSchedule[]>;
  /** Renews next runs that are still the ones named by `from`. */
  renewNextRuns(input: {
    renewals: { scheduleId: Uuid; from: DateTime; nextRun: DateTime }[];
    timezone: string;
  }): Promise<null>;
  /** Its runs stay. Throws `not-found`. */
  deleteSchedule(input: { scheduleId: Uuid }): Promise<null>;
}
