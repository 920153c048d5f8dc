/** User calls to the scheduler: create a schedule, enable or disable it, run it now. */
import { isDeepStrictEqual } from "node:util";
import { Fault } from "../../protocol/faults.ts";
import type { SchedulerApi } from "../../protocol/messages/scheduler.ts";
import type { ScheduleTiming } from "../../protocol/schedules.ts";
import { createTurns } from "../kernel/turns.ts";
import type { SchedulerContext } from "./context.ts";
import { refuseDoubtful } from "./cron.ts";
import type { Firing } from "./firing.ts";
import { nextRun } from "./next-run.ts";

export function timingCalls(
  { library, runs, clock, zone }: SchedulerContext,
  firing: Firing,
): Pick<SchedulerApi, "create" | "change" | "setEnabled" | "runNow"> {
  /** A change computes from what it has read, so no other change of the schedule may come between. */
  const inTurn = createTurns();
  const { change, setEnabled } = changingCalls({ library, clock, zone }, firing);
  return {
    change: (input) => inTurn(input.scheduleId.toLowerCase(), () => change(input)),
    setEnabled: (input) => inTurn(input.scheduleId.toLowerCase(), () => setEnabled(input)),
    async create(given) {
      const first = firstRun(given.timing, clock.now(), zone);
      const nextRun = given.enabled ? new Date(first).toISOString() : null;
      try {
        return await library.createSchedule({ schedule: given, nextRun, timezone: zone.name });
      } finally {
        if (given.enabled) firing.expect(first); // A failed call may still have created it.
      }
    },
    async runNow({ scheduleId }) {
      const run = await runs.startScheduled({ scheduleId, due: null });
      if (run === null) throw new Fault("not-found", `schedule ${scheduleId} does not exist`);
      return run;
    },
  };
}

function changingCalls(
  { library, clock, zone }: Pick<SchedulerContext, "library" | "clock" | "zone">,
  firing: Firing,
): Pick<SchedulerApi, "change" | "setEnabled"> {
  return {
    async change({ scheduleId, timingBefore, changes: { enabled: wanted, ...changes } }) {
      const { schedule, timing } = await library.readSchedule({ scheduleId });
      if (timingBefore !== undefined && !isDeepStrictEqual(timingBefore, timing))
        throw new Fault("conflict", `schedule ${scheduleId} was changed meanwhile; try again`, {
          code: "changed-meanwhile",
        });
      const enabled = wanted ?? schedule.enabled;
      const isNew = changes.timing !== undefined || enabled !== schedule.enabled;
      const first = isNew && enabled ? firstRun(changes.timing ?? timing, clock.now(), zone) : null;
      if (changes.timing !== undefined && !enabled) firstRun(changes.timing, clock.now(), zone);
      const nextRun = first === null ? null : new Date(first).toISOString();
      try {
        return await library.changeSchedule({
          scheduleId,
          changes,
          ...(isNew ? { nextRun } : {}),
          timezone: zone.name,
        });
      } finally {
        if (first !== null) firing.expect(first);
      }
    },
    async setEnabled({ scheduleId, enabled }) {
      const changed = { scheduleId, changes: {}, timezone: zone.name };
      if (!enabled) return library.changeSchedule({ ...changed, nextRun: null });
      const { timing } = await library.readSchedule({ scheduleId });
      const now = clock.now();
      const next = nextRun(timing, now, now, zone);
      if (next === null) {
        const when = timing.type === "once" ? ` for ${timing.runAt}, which has passed` : "";
        throw new Fault("conflict", `schedule ${scheduleId} was${when}; create a new schedule instead`);
      }
      const at = new Date(next).toISOString();
      try {
        return await library.changeSchedule({ ...changed, nextRun: at });
      } finally {
        firing.expect(next);
      }
    },
  };
}

/** The first run of a new schedule. Throws `invalid` if there is none. */
function firstRun(timing: ScheduleTiming, now: number, zone: SchedulerContext["zone"]): number {
  let first: number | null;
  try {
    if (timing.type === "cron") refuseDoubtful(timing.expression);
    first = nextRun(timing, now, now, zone);
  } catch (error) {
    throw cronFault(timing, error instanceof Error ? error.message : String(error));
  }
  if (first !== null) return first;
  if (timing.type === "once") {
    throw new Fault("invalid", `run_at must be in the future, got ${timing.runAt}`);
  }
  throw cronFault(timing, "no day matches it");
}

function cronFault(timing: ScheduleTiming, why: string): Fault {
  const given = timing.type === "cron" ? JSON.stringify(timing.expression) : timing.type;
  return new Fault(
    "invalid",
    `cron_expr must be a crontab expression of 5 fields (minute, hour, day of month, month, day of week), got ${given}: ${why}`,
  );
}
