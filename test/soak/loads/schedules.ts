/** Two schedules that are due each minute, and run on demand between. */
import type { Run } from "../../../protocol/records.ts";
import { askForRun } from "./batches.ts";
import { type LoadContext, pick, type Round } from "./load.ts";

export interface Schedules {
  ids: readonly string[];
  runNow: Round;
  enable(on: boolean): Promise<void>;
}

export interface SchedulesOptions {
  profileIds: readonly string[];
  scriptIds: readonly string[];
}

export async function openSchedules(context: LoadContext, options: SchedulesOptions): Promise<Schedules> {
  const { target } = context;
  const timings = [
    { schedule_type: "cron", cron_expr: "* * * * *" },
    { schedule_type: "interval", interval_minutes: 1 },
  ];
  const profilesEach = Math.floor(options.profileIds.length / timings.length);
  const profileIdsOf = (at: number) => options.profileIds.slice(at * profilesEach, (at + 1) * profilesEach);
  const ids: string[] = [];
  for (const [at, timing] of timings.entries()) {
    const { id } = await target.post<{ id: string }>("/v1/schedules", {
      name: `Each minute ${at + 1}`,
      script_id: options.scriptIds[at % options.scriptIds.length],
      profile_ids: profileIdsOf(at),
      enabled: false,
      ...timing,
    });
    ids.push(id);
  }
  return {
    ids,
    async runNow(given) {
      const id = pick(given.random, ids);
      const run = await askForRun(given, "schedule run now", `/v1/schedules/${id}/run`, {});
      if (run !== null)
        given.runs.set(run.id, {
          what: "schedule run now",
          profileIds: profileIdsOf(ids.indexOf(id)),
          planned: new Map(),
        });
    },
    async enable(enabled) {
      for (const id of ids) await target.post(`/v1/schedules/${id}/enabled`, { enabled });
    },
  };
}

export function runsOf(context: LoadContext, scheduleId: string): Promise<Run[]> {
  return context.target.get<Run[]>(`/v1/runs?schedule_id=${scheduleId}&limit=100`);
}
