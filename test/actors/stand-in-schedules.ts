/** Schedules in memory for a scheduler, in place of library and run coordinator; records firings. */

import { type ManualClock, untilTime } from "../../actors/kernel/clock.ts";
import { createLog } from "../../actors/kernel/log.ts";
import { createScheduler } from "../../actors/scheduler/actor.ts";
import { openZone } from "../../actors/scheduler/zone.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { RunsApi } from "../../protocol/messages/runs.ts";
import type { SchedulerApi, SchedulerConfig } from "../../protocol/messages/scheduler.ts";
import type { UpcomingSchedule } from "../../protocol/messages/schedules.ts";
import type { ScheduleTiming } from "../../protocol/schedules.ts";

export interface Fired {
  due: string;
  at: number;
  missed: boolean;
}

export interface StandIn {
  scheduler: SchedulerApi;
  fired: Map<string, Fired[]>;
  schedules: Map<string, UpcomingSchedule>;
  libraryRestarts(): void;
}

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** A scheduler over schedules that are on, in `zone`. Replies of the library wait for `onDisk`. */
export function startStandIn(
  clock: ManualClock,
  zone: string,
  timings: { timing: ScheduleTiming; at: number; timezone?: string }[],
  config: Partial<SchedulerConfig> = {},
  onDisk: (call: keyof LibraryApi | keyof RunsApi) => Promise<void> | undefined = () => undefined,
): StandIn {
  const fired = new Map<string, Fired[]>();
  const schedules = new Map(
    timings.map(({ timing, at, timezone = zone }, index): [string, UpcomingSchedule] => {
      const scheduleId = uuidOf(index);
      fired.set(scheduleId, []);
      return [scheduleId, { scheduleId, timing, timezone, at: new Date(at).toISOString() }];
    }),
  );
  const library: Partial<LibraryApi> = {
    async upcomingSchedules({ limit }) {
      const first = soonestAfter(schedules, "");
      const second = soonestAfter(schedules, first); // Sorting at each of a year's firings would be slow.
      const [now, then] = [first, second].map((at) => [...schedules.values()].filter((one) => one.at === at));
      await onDisk("upcomingSchedules");
      return [...(now ?? []), ...(then ?? [])].slice(0, limit);
    },
    async schedulesNotIn({ timezone, offset, limit }) {
      return [...schedules.values()]
        .filter((schedule) => timezone === null || schedule.timezone !== timezone)
        .slice(offset, offset + limit);
    },
    async renewNextRuns({ renewals, timezone }) {
      await onDisk("renewNextRuns");
      for (const { scheduleId, from, nextRun } of renewals) {
        const schedule = schedules.get(scheduleId);
        if (schedule?.at === from) schedules.set(scheduleId, { ...schedule, at: nextRun, timezone });
      }
      return null;
    },
    maintain: async () => null,
  };
  const runs: Partial<RunsApi> = {
    async startScheduled({ scheduleId, due }) {
      if (due !== null) await untilTime(clock, Date.parse(due.at), 1_000); // As the library does.
      const schedule = schedules.get(scheduleId);
      if (due === null || schedule?.at !== due.at) return null;
      fired.get(scheduleId)?.push({ due: due.at, at: clock.now(), missed: due.missed });
      if (due.nextRun === null) schedules.delete(scheduleId);
      else schedules.set(scheduleId, { ...schedule, at: due.nextRun });
      await onDisk("startScheduled");
      return null;
    },
  };
  let libraryRestarts = (): void => {};
  const scheduler = createScheduler(
    { housekeepingMs: 86_400_000, clockLookMs: 86_400_000, restarted: false, ...config },
    {
      library: library as LibraryApi,
      runs: runs as RunsApi,
      clock,
      log: createLog("test", () => {}),
      zone: openZone(zone),
      onLibraryRestart(act) {
        libraryRestarts = act;
      },
    },
  );
  return { scheduler, fired, schedules, libraryRestarts: () => libraryRestarts() };
}

function soonestAfter(schedules: ReadonlyMap<string, UpcomingSchedule>, after: string): string {
  let soonest = "";
  for (const { at } of schedules.values()) if (at > after && (soonest === "" || at < soonest)) soonest = at;
  return soonest;
}
