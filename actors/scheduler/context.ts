/** What every part of the scheduler is given: the actors beside it, time, and the machine's timezone. */
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { RunsApi } from "../../protocol/messages/runs.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Zone } from "./zone.ts";

export interface SchedulerContext {
  library: LibraryApi;
  runs: RunsApi;
  /** Calls `act` each time: a library that is read anew may have schedules that it has refused before. */
  onLibraryRestart(act: () => void): void;
  clock: Clock;
  log: Log;
  /** The machine's, which every schedule is meant in. */
  zone: Zone;
}
