/** The shared context of the scheduler: other actors, time, and the machine's time zone. */
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { RunsApi } from "../../protocol/messages/runs.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Zone } from "./zone.ts";

export interface SchedulerContext {
  library: LibraryApi;
  runs: RunsApi;
  /** Called after each restart: the library may then have schedules whose creation failed before. */
  onLibraryRestart(act: () => void): void;
  clock: Clock;
  log: Log;
  zone: Zone;
}
