/** Fires each due time of a schedule once, and sleeps until the next. */

import type { SchedulerConfig } from "../../protocol/messages/scheduler.ts";
import type { UpcomingSchedule } from "../../protocol/messages/schedules.ts";
import { createAlarm } from "./alarm.ts";
import type { SchedulerContext } from "./context.ts";
import { nextRun } from "./next-run.ts";

export interface Firing {
  start(): void;
  /** Reports that a schedule has this next run, or may have it. */
  expect(at: number): void;
  settled(): Promise<number | null>;
  close(): Promise<void>;
}

const firedAtOnce = 64;
const renewedAtOnce = 500;
/** Fire early and let the library wait for the due time, because on a busy machine each of the three threads on the way wakes up late. */
const handedOnMs = 500;
const retryMs = 1_000;

const instant = (ms: number) => new Date(ms).toISOString();

export function createFiring(config: SchedulerConfig, context: SchedulerContext): Firing {
  const { library, clock, log } = context;
  /** Due times before the service's start were missed. After a restart of this thread alone they are only late. */
  const missedUntil = config.restarted ? Number.NEGATIVE_INFINITY : clock.now();
  const underWay = new Map<string, Promise<void>>();
  /** The next due times, read ahead so that firing needs neither a read nor an earlier sync. */
  let ahead: UpcomingSchedule[] = [];
  let renewal: "elsewhere" | "all" | null = "elsewhere";
  let pass: Promise<void> | null = null;
  let again = false;
  let closing = false;

  const soonest = () => (closing || ahead[0] === undefined ? null : Date.parse(ahead[0].at));
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
        () => {}, // Keep failures for the current pass.
      );
    }
    const next = soonest();
    alarm.set(next === null ? null : next - handedOnMs);
  };
  /** Settles when nothing known is due and all firings are stored. Throws a firing's error. */
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
    pass = null; // No await after the last check of `again`, so that a later wake starts a new pass.
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
      log.warn("the clock was set back: recalculating next runs");
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

function keyOf({ scheduleId, at }: UpcomingSchedule): string {
  return `${scheduleId} ${at}`;
}

/** Starts the run. The library accepts each due time only once, and only if it has not changed. */
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
 * Recalculates next runs that depend on the wall clock: of schedules in another zone after the machine's zone changed, of all after the
 * clock was set back. Returns whether there were any.
 */
async function renewNextRuns(
  { library, clock, zone }: SchedulerContext,
  which: "elsewhere" | "all",
): Promise<boolean> {
  let renewed = 0;
  for (;;) {
    const some = await library.schedulesNotIn({
      timezone: which === "elsewhere" ? zone.name : null,
      // Renewed schedules no longer match this query.
      offset: which === "elsewhere" ? 0 : renewed,
      limit: renewedAtOnce,
    });
    if (some.length === 0) return renewed > 0;
    renewed += some.length;
    const now = clock.now();
    const renewals = some.map(({ scheduleId, timing, at }) => {
      const next = nextRun(timing, now, now, zone);
      // An interval has no zone. One that counts from a time now in the future counts from now.
      const keeps = next === null || (timing.type === "interval" && next > Date.parse(at));
      return { scheduleId, from: at, nextRun: keeps ? at : instant(next) };
    });
    await library.renewNextRuns({ renewals, timezone: zone.name });
  }
}
