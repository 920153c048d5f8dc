/** The scheduler: what is due next. It sleeps until then; today that is the library's housekeeping. */
import { schedulerChecks } from "../../protocol/generated/messages.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { SchedulerApi, SchedulerConfig } from "../../protocol/messages/scheduler.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { hostActor } from "../kernel/host.ts";
import type { Log } from "../kernel/log.ts";

/** The scheduler as an object: `housekeepingMs` after one tidying has ended, the next begins. */
export function createScheduler(
  config: SchedulerConfig,
  context: { library: LibraryApi; clock: Clock; log: Log },
): SchedulerApi {
  const { library, clock, log } = context;
  let timer: Timer | null = null;
  let wakeAt: number | null = null;

  const sleep = () => {
    wakeAt = clock.now() + config.housekeepingMs;
    timer = clock.timer(config.housekeepingMs, () => {
      library
        .maintain({})
        .catch((error: unknown) => log.error("housekeeping failed", { error }))
        .finally(() => {
          if (timer !== null) sleep();
        });
    });
  };
  sleep();

  return {
    async nextWake() {
      return { at: wakeAt === null ? null : new Date(wakeAt).toISOString() };
    },
    async close() {
      timer?.cancel();
      timer = null;
      wakeAt = null;
      return null;
    },
  };
}

hostActor<SchedulerConfig, SchedulerApi>("scheduler", schedulerChecks, async ({ config, log, clock, peer }) =>
  createScheduler(config, { library: peer<LibraryApi>("library"), clock, log }),
);
