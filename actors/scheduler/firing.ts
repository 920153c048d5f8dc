/** Firing: wakes when the next schedule is due, fires what has come due, each time once, and sleeps again. */

import type { SchedulerConfig } from "../../protocol/messages/scheduler.ts";
import type { UpcomingSchedule } from "../../protocol/messages/schedules.ts";
import { createAlarm } from "./alarm.ts";
import type { SchedulerContext } from "./context.ts";
import { nextRun } from "./next-run.ts";

export interface Firing {
  /** Looks for what is due, now and from now on. */
  start(): void;
  /** A schedule has been given this next run, or may have been. */
  expect(at: number): void;
  /** Answers when nothing is being fired: when the next schedule is to run. */
  settled(): Promise<number | null>;
  /** Fires nothing more. */
  close(): Promise<void>;
}

/** Schedules that are fired together; their transactions share a sync of the disk. */
const firedAtOnce = 64;
const renewedAtOnce = 500;
/**
 * What is to be fired is handed on this much before it is due, and waits in the library: on a machine whose cores are all taken
 * each of the three threads on the way is woken up to 100 ms late, and so the way is behind it when its time comes.
 */
const handedOnMs = 500;
/** After a failure, such as a library that is being started again. */
const retryMs = 1_000;

const instant = (ms: number) => new Date(ms).toISOString();

export function createFiring(config: SchedulerConfig, context: SchedulerContext): Firing {
  const { library, clock, log } = context;
  /** What came due before, while nobody could run it, was missed; after a restart of this thread it is only late. */
  const missedUntil = config.restarted ? Number.NEGATIVE_INFINITY : clock.now();
  const underWay = new Map<string, Promise<void>>();
  /** The soonest, as the library told last: between a due time and its run stands neither a read nor an earlier sync. */
  let ahead: UpcomingSchedule[] = [];
  let renewal: "elsewhere" | "all" | null = "elsewhere";
  let pass: Promise<void> | null = null;
  let again = false;
  let closing = false;

  const soonest = () => (closing || ahead[0] === undefined ? null : Date.parse(ahead[0].at));
  /** Hands on what is due, or about to be, of what is known, and sets the alarm for what comes then. */
  const fireKnown = () => {
    const now = clock.now();
    for (let at = soonest(); at !== null && at - handedOnMs <= now; at = soonest()) {
      const known = ahead.shift();
      if (known === undefined) break;
      const key = keyOf(known);
      const fired = fire(context, known, missedUntil);
      underWay.set(key, fired);
      fired.then(
        () => underWay.delete(key),
        () => {}, // Stays, for the pass to see.
      );
    }
    const next = soonest();
    alarm.set(next === null ? null : next - handedOnMs);
  };
  /** Settles when nothing known is due and all that was fired is kept. Throws what a firing threw. */
  const settleFired = async () => {
    while (underWay.size > 0) {
      const outcomes = await Promise.allSettled([...underWay].map(([, fired]) => fired));
      const failure = outcomes.find((outcome) => outcome.status === "rejected");
      if (failure === undefined) continue;
      underWay.clear();
      throw failure.reason;
    }
  };
  const work = async () => {
    do {
      again = false;
      try {
        await settleFired();
        const upcoming = await library.upcomingSchedules({ limit: firedAtOnce });
        ahead = upcoming.filter((schedule) => !underWay.has(keyOf(schedule)));
        fireKnown();
        if (underWay.size > 0) again = true;
        else if (renewal !== null) {
          const which = renewal;
          renewal = null;
          try {
            if (await renewNextRuns(context, which)) again = true;
          } catch (error) {
            renewal ??= which;
            throw error;
          }
        }
      } catch (error) {
        log.error("schedules could not be fired; trying again", { error });
        ahead = [];
        alarm.set(closing ? null : clock.now() + retryMs);
      }
    } while (again && !closing);
    await settleFired().catch((error: unknown) => log.error("a schedule could not be fired", { error }));
    pass = null; // In the same breath as the last look: who comes later starts anew.
  };
  const wake = () => {
    again = true;
    if (!closing) pass ??= work();
  };
  const alarm = createAlarm({
    clock,
    lookMs: config.clockLookMs,
    ring() {
      fireKnown();
      wake();
    },
    setBack() {
      log.warn("the clock was put back: next runs are worked out anew");
      renewal = "all";
      wake();
    },
  });

  return {
    start: wake,
    expect(at) {
      if (pass !== null || alarm.at === null || at - handedOnMs < alarm.at) wake();
    },
    async settled() {
      while (pass !== null) await pass;
      return soonest() ?? alarm.at;
    },
    async close() {
      closing = true;
      await pass;
      alarm.set(null);
    },
  };
}

/** One due time of one schedule. */
function keyOf({ scheduleId, at }: UpcomingSchedule): string {
  return `${scheduleId} ${at}`;
}

/** Hands it to the run coordinator; the library gives each due time out once, and none that has been changed since. */
async function fire(
  { runs, clock, zone }: SchedulerContext,
  { scheduleId, timing, at }: UpcomingSchedule,
  missedUntil: number,
): Promise<void> {
  const due = Date.parse(at);
  const next = nextRun(timing, Math.max(due, clock.now()), due, zone);
  await runs.startScheduled({
    scheduleId,
    due: { at, nextRun: next === null ? null : instant(next), missed: due <= missedUntil },
  });
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
