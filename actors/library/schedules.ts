/** Schedules: create, change, list, and decide what happens when one is due. */
import { randomUUID } from "node:crypto";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import type { FiredRun, LibraryApi } from "../../protocol/messages/library.ts";
import type { RunRequest } from "../../protocol/messages/runs.ts";
import type { NewSchedule, ScheduleCalls, UpcomingSchedule } from "../../protocol/messages/schedules.ts";
import type { Placement } from "../../protocol/scalars.ts";
import type { DueTime, Schedule, ScheduleTiming } from "../../protocol/schedules.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import { insertRun, runGoingOn } from "../../storage/tables/runs.ts";
import {
  countSchedules,
  insertSchedule,
  readSchedule,
  removeSchedule,
  renewNextRun,
  type StoredSchedule,
  scheduleRecord,
  schedulesJson,
  schedulesNotIn,
  setLastRun,
  takeDueTime,
  upcomingSchedules,
  updateSchedule,
} from "../../storage/tables/schedules.ts";
import { untilTime } from "../kernel/clock.ts";
import { instant, type LibraryContext } from "./context.ts";
import { distinctIds, openRun, refuseByPlan, refuseUnknown, workOf } from "./create-run.ts";
import { existingScript, isApproved } from "./scripts.ts";
import { settingsNow } from "./settings.ts";

/** Throws `not-found`. */
function existingSchedule(sql: Reader, scheduleId: string): StoredSchedule {
  const schedule = readSchedule(sql, scheduleId.toLowerCase());
  if (schedule === null) throw new Fault("not-found", `schedule ${scheduleId} does not exist`);
  return schedule;
}

export function timingShown(timing: ScheduleTiming): Partial<Schedule> {
  const scheduleType = timing.type;
  switch (timing.type) {
    case "once":
      return { scheduleType, runAt: timing.runAt };
    case "interval":
      return { scheduleType, intervalMinutes: timing.count, intervalUnit: timing.unit };
    case "daily":
      return { scheduleType, dailyHour: timing.hour, dailyMinute: timing.minute };
    case "weekly":
      return {
        scheduleType,
        weeklyDay: timing.day,
        dailyHour: timing.hour,
        dailyMinute: timing.minute,
      };
    case "cron":
      return { scheduleType, cronExpr: timing.expression };
  }
}

function recordOf(sql: Reader, { id }: { id: string }): Schedule {
  const record = scheduleRecord(sql, id);
  if (record === null) throw new Fault("not-found", `schedule ${id} does not exist`);
  return record;
}

const upcomingOf = (schedule: StoredSchedule): UpcomingSchedule[] =>
  schedule.nextRun === null
    ? []
    : [
        {
          scheduleId: schedule.id,
          timing: schedule.timing,
          timezone: schedule.timezone,
          at: schedule.nextRun,
        },
      ];

type Driven = Pick<NewSchedule, "scriptId" | "concurrency" | "profileIds">;

/** `given`: what has not been checked before. A script may have lost its approval since, and a profile may be in the trash. */
function refuseSchedule(
  sql: Reader,
  { scriptId, concurrency, profileIds }: Driven,
  given: Partial<Driven>,
): void {
  const script = existingScript(sql, scriptId);
  refuseByPlan(settingsNow(sql).plan, profileIds.length > 1 && concurrency !== 1);
  if (given.scriptId !== undefined && !isApproved(script)) {
    throw new Fault(
      "invalid",
      `script_id must name an approved script, got ${scriptId}; approve it on the control page, or with: troupe scripts approve ${scriptId}`,
    );
  }
  if (given.profileIds !== undefined) refuseUnknown(sql, profileIds);
}

function refuseMore(sql: Reader): void {
  const { plan } = settingsNow(sql);
  if (countSchedules(sql) >= plan.schedulesMax) {
    throw new Fault(
      "forbidden",
      `the plan ${plan.name} allows ${plan.schedulesMax} schedules, and all are in use; delete one first`,
    );
  }
}

function reasonToSkip(sql: Reader, { id }: StoredSchedule, due: DueTime | null): string | null {
  if (due?.missed) return `it came due at ${due.at}, while the service was off`;
  const goingOn = runGoingOn(sql, id);
  return goingOn === null ? null : `the previous run of this schedule, ${goingOn}, is still going`;
}

function requestOf(schedule: StoredSchedule): RunRequest {
  const { id, scriptId, profileIds, concurrency, staggerMs } = schedule;
  const plain = { variables: {}, headless: false, batch: true, source: "schedule" } as const;
  return { ...plain, variables: {}, scheduleId: id, scriptId, profileIds, concurrency, staggerMs };
}

/** Records a skipped run. It gets no parts, because a schedule may skip many runs over years. */
function skipRun(sql: Writer, { clock }: LibraryContext, schedule: StoredSchedule, error: string): FiredRun {
  const { id: scheduleId, scriptId, profileIds, concurrency, staggerMs } = schedule;
  const at = instant(clock);
  const run: FiredRun["run"] = {
    id: randomUUID(),
    status: "skipped",
    source: "schedule",
    scriptId,
    scheduleId,
    profileIds,
    profilesTotal: profileIds.length,
    profilesDone: 0,
    profilesFailed: 0,
    startedAt: at,
    completedAt: at,
    error,
  };
  insertRun(sql, {
    run,
    scriptSha256: null,
    headless: false,
    concurrency,
    staggerMs,
    placement: "local",
    variablesSealed: null,
  });
  return { run, work: null };
}

function startRun(
  sql: Writer,
  context: LibraryContext,
  schedule: StoredSchedule,
  placement: Placement,
): FiredRun {
  try {
    const stored = openRun(sql, context, { ...requestOf(schedule), placement });
    return { run: stored.run, work: workOf(sql, stored) };
  } catch (error) {
    // Approval, plan or script may have changed since the schedule was created. Other errors are failures.
    if (!(error instanceof Fault) || error.kind === "internal") throw error;
    return skipRun(sql, context, schedule, faultRecord(error).message);
  }
}

/** The scheduler fires slightly early. A larger lead means that the clock was set back after firing. */
const earlyMsMax = 1_000;

function firingCalls(context: LibraryContext): Pick<LibraryApi, "fireSchedule"> {
  return {
    async fireSchedule({ due, placement = "local", ...input }) {
      if (due !== null) await untilTime(context.clock, Date.parse(due.at), earlyMsMax);
      return context.database.write((sql) => {
        const scheduleId = input.scheduleId.toLowerCase();
        // Taking the due time and creating its run is one transaction, so that none is lost and none runs twice.
        if (due !== null && !takeDueTime(sql, scheduleId, due.at, due.nextRun)) return null;
        const schedule = existingSchedule(sql, scheduleId);
        const reason = reasonToSkip(sql, schedule, due);
        const fired =
          reason === null
            ? startRun(sql, context, schedule, placement)
            : skipRun(sql, context, schedule, reason);
        setLastRun(sql, schedule.id, fired.run.id);
        return fired;
      });
    },
  };
}

export function schedulesArea(context: LibraryContext): ScheduleCalls & Pick<LibraryApi, "fireSchedule"> {
  const { database, clock } = context;
  const encoder = new TextEncoder();
  return {
    ...firingCalls(context),
    listSchedules: () => database.read((sql) => ({ json: encoder.encode(schedulesJson(sql)) })),
    readSchedule: ({ scheduleId }) =>
      database.read((sql) => {
        const schedule = existingSchedule(sql, scheduleId);
        return { schedule: recordOf(sql, schedule), timing: schedule.timing };
      }),
    createSchedule: ({ schedule: given, nextRun, timezone }) =>
      database.write((sql) => {
        const profileIds = distinctIds(given.profileIds);
        refuseSchedule(sql, { ...given, profileIds }, given);
        refuseMore(sql);
        const { name, timing, concurrency, staggerMs } = given;
        const kept = { name, timing, concurrency, staggerMs, timezone, nextRun, profileIds };
        const scriptId = given.scriptId.toLowerCase();
        const stored = { ...kept, id: randomUUID(), scriptId, lastRunId: null, createdAt: instant(clock) };
        insertSchedule(sql, stored, timingShown(timing));
        return recordOf(sql, stored);
      }),
    changeSchedule: ({ scheduleId, changes, nextRun, timezone }) =>
      database.write((sql) => {
        const before = existingSchedule(sql, scheduleId);
        const changed: StoredSchedule = { ...before, ...changes };
        changed.scriptId = changed.scriptId.toLowerCase();
        changed.profileIds = distinctIds(changed.profileIds);
        if (nextRun !== undefined) Object.assign(changed, { nextRun, timezone });
        const drives = "scriptId" in changes || "profileIds" in changes || "concurrency" in changes;
        if (drives) refuseSchedule(sql, changed, changes);
        updateSchedule(sql, changed, timingShown(changed.timing));
        return recordOf(sql, changed);
      }),
    upcomingSchedules: ({ limit }) =>
      database.read((sql) => upcomingSchedules(sql, limit).flatMap(upcomingOf)),
    schedulesNotIn: ({ timezone, offset, limit }) =>
      database.read((sql) => schedulesNotIn(sql, timezone, offset, limit).flatMap(upcomingOf)),
    renewNextRuns: ({ renewals, timezone }) =>
      database.write((sql) => {
        for (const { scheduleId, from, nextRun } of renewals) {
          renewNextRun(sql, scheduleId.toLowerCase(), { from, nextRun, timezone });
        }
        return null;
      }),
    deleteSchedule: ({ scheduleId, unlessRunning = false }) =>
      database.write((sql) => {
        const { id } = existingSchedule(sql, scheduleId);
        const runId = unlessRunning ? runGoingOn(sql, id) : null;
        if (runId !== null)
          throw new Fault(
            "conflict",
            `run ${runId} of schedule ${scheduleId} is in progress; cancel it, or wait until it has ended`,
          );
        removeSchedule(sql, id);
        return null;
      }),
  };
}
