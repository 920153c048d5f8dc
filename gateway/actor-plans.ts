/** The plans of the long-lived actors: configuration, peers, deadlines of the gateway's calls. */
import { join } from "node:path";
import type { ActorPlan } from "../actors/kernel/supervisor.ts";
import type { FleetConfig } from "../protocol/fleet.ts";
import { type LibraryConfig, libraryDeadlines } from "../protocol/messages/library.ts";
import { type OperationsConfig, operationsDeadlines } from "../protocol/messages/operations.ts";
import { type PoolConfig, poolDeadlines } from "../protocol/messages/pool.ts";
import { type RunsConfig, runsDeadlines } from "../protocol/messages/runs.ts";
import type { SchedulerConfig } from "../protocol/messages/scheduler.ts";
import { engineCacheDir, hasDisplay, hostDevice, launchesAtOnce, weightOf, weightsFile } from "./machine.ts";

/** Profile threads kept ready for the next launch (bench/FINDINGS.md, "Launch"). */
const spareThreads = 1;
const housekeepingMs = 10 * 60_000;
const clockLookMs = 1_000;

export function libraryPlan(dataDir: string): ActorPlan {
  const config = (): LibraryConfig => ({ dataDir });
  return { name: "library", config, peers: [], deadlines: libraryDeadlines };
}

export interface PlanParts {
  dataDir: string;
  chromiumPath: string;
  libraryCacheDir: string | null;
  capacityWord: SharedArrayBuffer;
  poolMax(): number;
  /** The service's ports so far, for actors that are restarted. */
  ownPorts(): number[];
  /** Null: none, or not any more. */
  fleet(): FleetConfig | null;
}

/** In the order of their start. */
export function plansBesideLibrary({
  dataDir,
  chromiumPath,
  libraryCacheDir,
  capacityWord,
  poolMax,
  ownPorts,
  fleet,
}: PlanParts): ActorPlan[] {
  return [
    {
      name: "pool",
      config: (): PoolConfig => ({
        max: poolMax(),
        browserBytes: weightOf(weightsFile(dataDir)),
        weightsFile: weightsFile(dataDir),
        spares: spareThreads,
        capacityWord,
        engine: {
          chromiumPath,
          tempDir: join(dataDir, "tmp"),
          cacheDir: engineCacheDir(dataDir),
          ...(libraryCacheDir === null ? {} : { libraryCacheDir }),
          hasDisplay: hasDisplay(),
          launchesAtOnce: launchesAtOnce(),
          blanks: { dir: join(dataDir, "blank"), count: launchesAtOnce() },
        },
      }),
      peers: ["library", "runs"],
      deadlines: poolDeadlines,
    },
    {
      name: "operations",
      config: (restarted): OperationsConfig => ({
        host: hostDevice(),
        chromiumPath,
        ownPorts: ownPorts(),
        restarted,
      }),
      peers: ["library", "pool"],
      deadlines: operationsDeadlines,
    },
    {
      name: "runs",
      config: (): RunsConfig => {
        const member = fleet();
        return { resume: true, ownPorts: ownPorts(), ...(member === null ? {} : { fleet: member }) };
      },
      peers: ["library", "pool"],
      deadlines: runsDeadlines,
    },
    {
      name: "scheduler",
      config: (restarted): SchedulerConfig => ({ housekeepingMs, clockLookMs, restarted }),
      peers: ["library", "runs"],
    },
  ];
}
