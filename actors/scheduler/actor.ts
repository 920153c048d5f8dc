/** The scheduler: sleeps until a schedule is due, then passes it to the run coordinator. */
import { schedulerChecks } from "../../protocol/generated/messages/scheduler.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { RunsApi } from "../../protocol/messages/runs.ts";
import type { SchedulerApi, SchedulerConfig } from "../../protocol/messages/scheduler.ts";
import type { Timer } from "../kernel/clock.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { machineZone } from "../kernel/machine-zone.ts";
import type { SchedulerContext } from "./context.ts";
import { createFiring } from "./firing.ts";
import { timingCalls } from "./timing-calls.ts";
import { openZone } from "./zone.ts";

export function createScheduler(config: SchedulerConfig, context: SchedulerContext): SchedulerApi {
  const firing = createFiring(config, context);
  const endHousekeeping = keepHouse(config.housekeepingMs, context);
  firing.start();
  context.onLibraryRestart(firing.start);
  return {
    ...timingCalls(context, firing),
    async nextWake() {
      const at = await firing.settled();
      return { at: at === null ? null : new Date(at).toISOString() };
    },
    async close() {
      endHousekeeping();
      await firing.close();
      return null;
    },
  };
}

/** Asks the library to clean up, `everyMs` after the last time has ended. Returns a function that stops this. */
function keepHouse(everyMs: number, { library, clock, log }: SchedulerContext): () => void {
  let timer: Timer | null = null;
  const sleep = () => {
    timer = clock.timer(everyMs, () => {
      library
        .maintain({})
        .catch((error: unknown) => log.error("housekeeping failed", { error }))
        .finally(() => {
          if (timer !== null) sleep();
        });
    });
  };
  sleep();
  return () => {
    timer?.cancel();
    timer = null;
  };
}

export async function startScheduler(
  { config, log, clock, peer, onPeerRestart }: ActorContext<SchedulerConfig>,
  zone = openZone(machineZone()),
): Promise<SchedulerApi> {
  const library = peer<LibraryApi>("library");
  const runs = peer<RunsApi>("runs");
  const onLibraryRestart = (act: () => void) => onPeerRestart("library", act);
  return createScheduler(config, { library, runs, clock, log, zone, onLibraryRestart });
}

hostActor<SchedulerConfig, SchedulerApi>("scheduler", schedulerChecks, startScheduler);
