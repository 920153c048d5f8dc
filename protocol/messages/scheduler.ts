/** The scheduler thread: runs what is due. */
import type { Run } from "../records.ts";
import type { DateTime, Uuid } from "../scalars.ts";
import type { Schedule, ScheduleTiming } from "../schedules.ts";
import type { NewSchedule, ScheduleChanges } from "./schedules.ts";

export interface SchedulerApi {
  /** Throws `invalid` (a past time, a bad cron expression or one that never comes), and as ScheduleCalls.createSchedule. */
  create(input: NewSchedule): Promise<Schedule>;
  /**
   * A new timing, or turning it on, recomputes the next run. Throws as `create`, `not-found` (schedule), and `conflict` with the code
   * `changed-meanwhile` when its timing is no longer `timingBefore`.
   */
  change(input: {
    scheduleId: Uuid;
    changes: ScheduleChanges;
    timingBefore?: ScheduleTiming;
  }): Promise<Schedule>;
  /** Turning on recomputes the next run. Throws `not-found`, `conflict` (type once, time passed). */
  setEnabled(input: { scheduleId: Uuid; enabled: boolean }): Promise<Schedule>;
  /** Whether on or off; the next run stays. May return a skipped run. Throws `not-found`. */
  runNow(input: { scheduleId: Uuid }): Promise<Run>;
  /** Null when no schedule is on. Waits until none is being started. */
  nextWake(input: Record<string, never>): Promise<{ at: DateTime | null }>;
  /** Starts nothing more; returns when what is due has become runs. */
  close(input: Record<string, never>): Promise<null>;
}

export interface SchedulerConfig {
  /** Interval of LibraryApi.maintain. */
  housekeepingMs: number;
  /** How often a waiting scheduler reads the clock, to notice jumps and the machine's sleep. */
  clockLookMs: number;
  /** The thread replaces one that died: due times in between run late and do not count as missed. */
  restarted: boolean;
}
