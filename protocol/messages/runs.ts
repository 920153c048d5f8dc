/** The run coordinator: starts each profile's part of a run and records its end. */
import {
  type FleetConfig,
  type FleetHealth,
  type FleetLeaving,
  type FleetStatus,
  fleetLimits,
} from "../fleet.ts";
import { limits } from "../limits.ts";
import type { Run } from "../records.ts";
import type { ScriptLogTail } from "../run-task.ts";
import type { Placement, RunSource, Uuid } from "../scalars.ts";
import type { DueTime } from "../schedules.ts";
import type { Deadlines } from "./deadlines.ts";

export interface RunRequest {
  scriptId: Uuid;
  profileIds: Uuid[];
  variables: Record<string, string>;
  headless: boolean;
  /** Batches and schedules need an approved script. */
  batch: boolean;
  /** 0 means the browser pool's `max`. */
  concurrency: number;
  staggerMs: number;
  source: RunSource | null;
  scheduleId: Uuid | null;
  /** Where its parts run. Default `auto`: in the fleet when it is on. */
  placement?: Placement;
  /** A retry with the same key and request gets the first one's run. */
  idempotency?: { tokenName: string; key: string };
}

export interface RunsApi {
  /** Creates the run and returns at once. Faults as LibraryApi.createRun. */
  start(input: RunRequest): Promise<Run>;
  /** The run of a due schedule, or with `due` null one that the user asks for; null when not due. Faults as LibraryApi.fireSchedule. */
  startScheduled(input: { scheduleId: Uuid; due: DueTime | null }): Promise<Run | null>;
  /** Skips waiting profiles and ends scripts within seconds. Returns an ended run as it is. Throws `not-found`. */
  cancel(input: { runId: Uuid }): Promise<Run>;
  /** Profiles that the run drives or waits to open. `away`: those of them whose part is in the fleet. */
  working(input: { runId: Uuid }): Promise<{ profileIds: Uuid[]; away: Uuid[] }>;
  /** As ProfilePageApi.scriptLog, of a part in the fleet; its lines come some seconds later. */
  logInFleet(input: { runId: Uuid; profileId: Uuid; after: number }): Promise<ScriptLogTail | null>;
  /** The service's own ports, which no script's browser may reach. */
  ownPorts(input: { ports: number[] }): Promise<null>;
  /** Fetches a profile whose newest files are in the fleet. Throws `conflict` (a machine of the fleet has it, or a run waits for it there), `internal` (PostgreSQL or the store is away). */
  bringHome(input: { profileId: Uuid }): Promise<null>;
  /**
   * New runs stay on this machine, the fleet's profiles are fetched, and its tables are removed; call again until it has left. `drain`: runs
   * in the fleet may go on until they end. Throws `conflict` (runs are in the fleet, or its tables are gone), `invalid` (a damaged archive),
   * `internal` (PostgreSQL or the store is away).
   */
  leaveFleet(input: { drain: boolean }): Promise<FleetLeaving>;
  /** Null without a fleet. Throws `internal` (PostgreSQL is away). */
  fleetStatus(input: Record<string, never>): Promise<FleetStatus | null>;
  /** Whether a machine claims parts. Throws `not-found` (no such machine), `conflict` (no fleet), `internal` (PostgreSQL is away). */
  drainMachine(input: { name: string; draining: boolean }): Promise<null>;
  /** Null without a fleet. Answers within `fleetLimits.figuresMs`. */
  fleetHealth(input: Record<string, never>): Promise<FleetHealth | null>;
  /** Starts no more profiles, ends running scripts, and ends every local run; runs in the fleet go on there. */
  close(input: Record<string, never>): Promise<null>;
}

export const runsDeadlines = {
  close: limits.serviceStopMs,
  bringHome: Number.POSITIVE_INFINITY,
  leaveFleet: Number.POSITIVE_INFINITY,
  // While the thread starts again, health and metrics go without it.
  fleetHealth: 2 * fleetLimits.figuresMs,
} satisfies Deadlines<RunsApi>;

export interface RunsConfig {
  /** Continue runs that a crash interrupted. */
  resume: boolean;
  ownPorts: number[];
  /** Absent: no fleet. */
  fleet?: FleetConfig;
}
