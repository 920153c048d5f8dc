/** Stand-ins for a real scheduler thread: a library with given due times, and a run coordinator that measures lateness. */
import { untilTime } from "../../actors/kernel/clock.ts";
import { hostActor } from "../../actors/kernel/host.ts";
import type { Checks } from "../../protocol/messages/checks.ts";
import type { UpcomingSchedule } from "../../protocol/messages/schedules.ts";
import type { DueTime } from "../../protocol/schedules.ts";

export interface TimekeepingConfig {
  count: number;
  /** Milliseconds from the scheduler's first request to the first due time, and between due times. */
  leadMs: number;
  apartMs: number;
}

export interface TimekeepingLibrary {
  upcomingSchedules(input: { limit: number }): Promise<UpcomingSchedule[]>;
  schedulesNotIn(input: object): Promise<UpcomingSchedule[]>;
  /** Records the lateness in milliseconds, at the moment when the library would write the run. */
  fireSchedule(input: { scheduleId: string; due: DueTime }): Promise<null>;
  lateness(input: Record<string, never>): Promise<{ ms: number[] }>;
}

export interface TimekeepingRuns {
  startScheduled(input: { scheduleId: string; due: DueTime }): Promise<null>;
}

const given = <Input>(input: unknown) => input as Input;
const libraryChecks: Checks<TimekeepingLibrary> = {
  upcomingSchedules: given,
  schedulesNotIn: given,
  fireSchedule: given,
  lateness: given,
};

hostActor<TimekeepingConfig, TimekeepingLibrary>("library", libraryChecks, async ({ config, clock }) => {
  let schedules: UpcomingSchedule[] | null = null;
  const ms: number[] = [];
  const begin = () => {
    const first = clock.now() + config.leadMs;
    return Array.from({ length: config.count }, (_, index): UpcomingSchedule => {
      const at = new Date(first + index * config.apartMs).toISOString();
      return { scheduleId: String(index), timing: { type: "once", runAt: at }, timezone: "UTC", at };
    });
  };
  return {
    async upcomingSchedules({ limit }) {
      schedules ??= begin();
      return schedules.slice(0, limit);
    },
    schedulesNotIn: async () => [],
    async fireSchedule({ scheduleId, due }) {
      await untilTime(clock, Date.parse(due.at), 1_000); // As the library does.
      ms.push(clock.now() - Date.parse(due.at));
      schedules = (schedules ?? []).filter((schedule) => schedule.scheduleId !== scheduleId);
      return null;
    },
    lateness: async () => ({ ms }),
  };
});

hostActor<unknown, TimekeepingRuns>("runs", { startScheduled: given }, async ({ peer }) => ({
  startScheduled: (input) => peer<TimekeepingLibrary>("library").fireSchedule(input),
}));
