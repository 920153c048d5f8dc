/** The scheduler thread: what is due next. */
export interface SchedulerApi {
  /** When it will next wake, RFC 3339; null when nothing is due. */
  nextWake(input: Record<string, never>): Promise<{ at: string | null }>;
  close(input: Record<string, never>): Promise<null>;
}

/** Parameters that the scheduler thread is started with. */
export interface SchedulerConfig {
  /** How often the library is asked to tidy up (LibraryApi.maintain), in milliseconds. */
  housekeepingMs: number;
}
