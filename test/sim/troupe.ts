/** One process of the service: supervisor and actors, wired, started and stopped as by the gateway. */
import { type ActorContext, runActor } from "../../actors/kernel/host.ts";
import type { Log } from "../../actors/kernel/log.ts";
import { superviseActors } from "../../actors/kernel/supervisor.ts";
import { startLibrary } from "../../actors/library/actor.ts";
import type { Library } from "../../actors/library/library.ts";
import { startOperations } from "../../actors/operations/actor.ts";
import { createPool } from "../../actors/pool/actor.ts";
import { createAdmission } from "../../actors/pool/admission.ts";
import { startRuns } from "../../actors/runs/actor.ts";
import { startScheduler } from "../../actors/scheduler/actor.ts";
import { openZone } from "../../actors/scheduler/zone.ts";
import { createStop } from "../../gateway/stopping.ts";
import { createCapacityWord } from "../../protocol/capacity-word.ts";
import { libraryChecks } from "../../protocol/generated/messages/library.ts";
import { operationsChecks } from "../../protocol/generated/messages/operations.ts";
import { poolChecks } from "../../protocol/generated/messages/pool.ts";
import { runsChecks } from "../../protocol/generated/messages/runs.ts";
import { schedulerChecks } from "../../protocol/generated/messages/scheduler.ts";
import { type LibraryApi, type LibraryConfig, libraryDeadlines } from "../../protocol/messages/library.ts";
import {
  type OperationsApi,
  type OperationsConfig,
  operationsDeadlines,
} from "../../protocol/messages/operations.ts";
import { type PoolApi, type PoolConfig, poolDeadlines } from "../../protocol/messages/pool.ts";
import { type RunsApi, runsDeadlines } from "../../protocol/messages/runs.ts";
import type { SchedulerApi } from "../../protocol/messages/scheduler.ts";
import type { ProfileTasks } from "../../protocol/messages/tasks.ts";
import type { Disk } from "../../storage/disk.ts";
import { plainDevices } from "../actors/devices.ts";
import type { Browsers } from "./browsers.ts";
import type { SimPort } from "./ports.ts";
import type { Boot, ThreadLife } from "./threads.ts";

export interface Troupe {
  library: LibraryApi;
  pool: PoolApi;
  operations: OperationsApi;
  runs: RunsApi;
  scheduler: SchedulerApi;
  capacityWord: SharedArrayBuffer;
  setMax(max: number): Promise<void>;
  stop(): Promise<void>;
}

const dataDir = "/data";
const cores = 2;
/** Daylight saving begins two days after the simulation's start. */
const zone = openZone("Europe/Berlin");
const tasks: ProfileTasks = {
  readOrigins: async () => ({ origins: [] }),
  writeOrigins: async () => null,
  sampleDevices: async ({ count }) => ({ devices: plainDevices(count) }),
  measureExits: async () => ({ measurements: [] }),
};

export function bootActors(parts: {
  browsers: Browsers;
  disk(life: ThreadLife): Disk;
  idleMs(): number;
  opened(life: ThreadLife, library: Library): void;
}): Boot {
  const { browsers } = parts;
  const boots: Record<string, (life: ThreadLife, config: unknown, port: SimPort) => void> = {
    profile: (life, config, port) => browsers.boot(life, config, port),
    library: (life, config, port) => {
      const start = async (context: ActorContext<LibraryConfig>): Promise<LibraryApi> => {
        const library = await startLibrary(context, parts.disk(life));
        parts.opened(life, library);
        return library;
      };
      runActor({ name: "library", port, config, exit: life.exit }, libraryChecks, start);
    },
    pool: (life, config, port) => {
      const room = (again: () => void) =>
        createAdmission(again, { cores, idleMs: parts.idleMs, now: () => performance.now() });
      const start = async ({ config: given, log, peer }: ActorContext<PoolConfig>) =>
        createPool(given, log, peer<LibraryApi>("library"), {
          makeAdmission: room,
          makePressure: () => ({ refusal: () => null, close: () => {} }),
          makeWeighing: () => ({ close: () => {} }),
          processes: browsers,
        });
      runActor({ name: "pool", port, config, exit: life.exit }, poolChecks, start);
    },
    operations: (life, config, port) => {
      const thread = { name: "operations", port, config, exit: life.exit };
      runActor(thread, operationsChecks, (context: ActorContext<OperationsConfig>) =>
        startOperations(context, tasks),
      );
    },
    runs: (life, config, port) =>
      runActor({ name: "runs", port, config, exit: life.exit }, runsChecks, startRuns),
    scheduler: (life, config, port) => {
      const thread = { name: "scheduler", port, config, exit: life.exit };
      runActor(thread, schedulerChecks, (context: Parameters<typeof startScheduler>[0]) =>
        startScheduler(context, zone),
      );
    },
  };
  return (life, config, port) => boots[life.name]?.(life, config, port);
}

/** Starts the service. When that fails, ends all threads and throws the reason. */
export async function startTroupe(log: Log, browsersMax: number): Promise<Troupe> {
  const capacityWord = createCapacityWord();
  let max = browsersMax;
  const supervisor = await superviseActors(
    [{ name: "library", config: () => ({ dataDir }), peers: [], deadlines: libraryDeadlines }],
    log,
  );
  const library = supervisor.api<LibraryApi>("library");
  const nothing = async () => {};
  const closing = createStop({ log, supervisor, closeListeners: nothing, closeRest: nothing });
  try {
    const stored = await library.readSettings({});
    if (stored.browsersMax > 0) max = stored.browsersMax;
    const engine = {
      chromiumPath: "",
      tempDir: "",
      hasDisplay: false,
      launchesAtOnce: cores,
    };
    await supervisor.add([
      {
        name: "pool",
        config: (): PoolConfig => ({
          max,
          browserBytes: 1,
          weightsFile: "",
          spares: 1,
          capacityWord,
          engine,
        }),
        peers: ["library"],
        deadlines: poolDeadlines,
      },
      {
        name: "operations",
        config: (restarted): OperationsConfig => ({
          host: { os: "linux", architecture: "x86" },
          chromiumPath: "chromium",
          ownPorts: [],
          restarted,
        }),
        peers: ["library", "pool"],
        deadlines: operationsDeadlines,
      },
      {
        name: "runs",
        config: () => ({ resume: true, ownPorts: [] }),
        peers: ["library", "pool"],
        deadlines: runsDeadlines,
      },
      {
        name: "scheduler",
        config: (restarted) => ({ housekeepingMs: 10 * 60_000, clockLookMs: 1_000, restarted }),
        peers: ["library", "runs"],
      },
    ]);
  } catch (error) {
    await closing.abandon();
    throw error;
  }
  const pool = supervisor.api<PoolApi>("pool");
  const runs = supervisor.api<RunsApi>("runs");
  const scheduler = supervisor.api<SchedulerApi>("scheduler");
  return {
    library,
    pool,
    operations: supervisor.api<OperationsApi>("operations"),
    runs,
    scheduler,
    capacityWord,
    async setMax(next) {
      max = next;
      await pool.setMax({ max });
    },
    async stop() {
      await closing.stop();
    },
  };
}
