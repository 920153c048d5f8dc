/** Firing: wakes when the next schedule is due, fires what has come due, each time once, and sleeps again. */

import type { SchedulerConfig } from "../../protocol/messages/scheduler.ts";
import type { UpcomingSchedule } from "../../protocol/messages/schedules.ts";
import { createAlarm } from "./alarm.ts";
import type { SchedulerContext } from "./context.ts";
import { nextRun } from "./next-run.ts";

export interface Firing {
  start(): void;
  /** A schedule has been given this next run. */
  expect(at: number): void;
  /** Answers when nothing is being fired: when the next schedule is to run. */
  settled(): Promise<number | null>;
  /** Fires nothing more. */
  close(): Promise<void>;
}

/** Schedules that are fired together; their transactions share a sync of the disk. */
const firedAtOnce = 64;
const renewedAtOnce = 500;
/** After a failure, such as a library that is being started again. */
const retryMs = 1_000;

const instant = (ms: number) => new Date(ms).toISOString();

export function createFiring(config: SchedulerConfig, context: SchedulerContext): Firing {
  const { library, runs, clock, log, zone } = context;
  /** What came due before, while nobody could run it, was missed; after a restart of this thread it is only late. */
  const missedUntil = config.restarted ? Number.NEGATIVE_INFINITY : clock.now();
  let renewal: "elsewhere" | "all" | null = "elsewhere";
  let pass: Promise<void> | null = null;
  let again = false;
  let closing = false;

  const fire = async ({ scheduleId, timing, at }: UpcomingSchedule) => {
    const due = Date.parse(at);
    const next = nextRun(timing, Math.max(due, clock.now()), due, zone);
    await runs.startScheduled({
      scheduleId,
      due: { at, nextRun: next === null ? null : instant(next), missed: due <= missedUntil },
    });
  };
  /** Fires until nothing is due; answers when the next one is. */
  const fireDue = async (): Promise<number | null> => {
    for (;;) {
      const upcoming = await library.upcomingSchedules({ limit: firedAtOnce });
      const due = upcoming.filter(({ at }) => Date.parse(at) <= clock.now());
      if (due.length === 0 || closing) return upcoming[0] === undefined ? null : Date.parse(upcoming[0].at);
      const fired = await Promise.allSettled(due.map(fire));
      const failure = fired.find((outcome) => outcome.status === "rejected");
      if (failure !== undefined) throw failure.reason;
    }
  };
  const work = async () => {
    do {
      again = false;
      try {
        const soonest = await fireDue();
        if (renewal !== null) {
          const which = renewal;
          renewal = null;
          again = await renewNextRuns(context, which);
        }
        alarm.set(closing ? null : soonest);
      } catch (error) {
        log.error("schedules could not be fired; trying again", { error });
        alarm.set(closing ? null : clock.now() + retryMs);
      }
    } while (again && !closing);
    pass = null; // In the same breath as the last look: who comes later starts anew.
  };
  const wake = () => {
    again = true;
    if (!closing) pass ??= work();
  };
  const alarm = createAlarm({
    clock,
    lookMs: config.clockLookMs,
    ring: wake,
    setBack() {
      log.warn("the clock was put back: next runs are worked out anew");
      renewal = "all";
      wake();
    },
  });

  return {
    start: wake,
    expect(at) {
      if (pass !== null || alarm.at === null || at < alarm.at) wake();
    },
    async settled() {
      while (pass !== null) await pass;
      return alarm.at;
    },
    async close() {
      closing = true;
      await pass;
      alarm.set(null);
    },
  };
}

/**
 * Works out anew when schedules run that depend on the wall clock: those of another zone after the machine has moved,
 * all after its clock was put back. Answers whether there were any.
 */
async function renewNextRuns(
  { library, clock, zone }: SchedulerContext,
  which: "elsewhere" | "all",
): Promise<boolean> {
  let renewed = 0;
  for (;;) {
    const some = await library.schedulesNotIn({
      timezone: which === "elsewhere" ? zone.name : null,
      // Those of another zone leave the list as they are renewed.
      offset: which === "elsewhere" ? 0 : renewed,
      limit: renewedAtOnce,
    });
    if (some.length === 0) return renewed > 0;
    renewed += some.length;
    const now = clock.now();
    const renewals = some.map(({ scheduleId, timing, at }) => {
      const next = nextRun(timing, now, now, zone);
      // An interval has no zone; one that counted from a future that is none any more counts from now.
      const keeps = next === null || (timing.type === "interval" && next > Date.parse(at));
      return { scheduleId, from: at, nextRun: keeps ? at : instant(next) };
    });
    await library.renewNextRuns({ renewals, timezone: zone.name });
  }
}
