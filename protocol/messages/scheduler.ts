/** The scheduler thread: what is due next. */
import type { Run } from "../records.ts";
import type { DateTime, Uuid } from "../scalars.ts";
import type { Schedule } from "../schedules.ts";
import type { NewSchedule } from "./schedules.ts";

export interface SchedulerApi {
  /**
   * Throws `invalid` (a time that has passed, a cron expression that is none or never comes), and as
   * ScheduleCalls.createSchedule.
   */
  create(input: NewSchedule): Promise<Schedule>;
  /** Turning on works out the next run anew. Throws `not-found`, `conflict` (of type once, and its time has passed). */
  setEnabled(input: { scheduleId: Uuid; enabled: boolean }): Promise<Schedule>;
  /** Runs it once now, whether on or off; its next run stays. The run may be a skipped one. Throws `not-found`. */
  runNow(input: { scheduleId: Uuid }): Promise<Run>;
  /** When the next schedule is to run; null when none is on. Answers when nothing is being fired. */
  nextWake(input: Record<string, never>): Promise<{ at: DateTime | null }>;
  /** Fires nothing more; answers when what is being fired has become a run. */
  close(input: Record<string, never>): Promise<null>;
}

/** Parameters that the scheduler thread is started with. */
export interface SchedulerConfig {
  /** How often the library is asked to tidy up (LibraryApi.maintain), in milliseconds. */
  housekeepingMs: number;
  /** While it sleeps, how often the clock is looked at: a jump, or the machine's own sleep, shows at the next look. */
  clockLookMs: number;
  /** The thread took the place of one that died: what came due in between runs late, it was not missed. */
  restarted: boolean;
}
