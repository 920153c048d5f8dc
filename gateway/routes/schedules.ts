/** The routes of schedules: list, create, turn on and off, run now. */
import { Fault } from "../../protocol/faults.ts";
import type { PatchScheduleBody, Schedule } from "../../protocol/schedules.ts";
import type { Actors } from "../actors.ts";
import { JsonBytes, route } from "../route.ts";
import { checkConcurrency } from "./concurrency.ts";
import { changedTiming, timingOf } from "./schedule-timing.ts";

const scriptId = "0b0f6f0e-3f0a-4c4e-9a6e-2f6f4b1f7c11";
const profileIds = ["5d0f6a52-8a38-4e0e-8a57-5a2f1b0c9d21", "9c6d2f0e-7f3a-4f43-9e7f-0b0c53d5a6d1"];
const example = (summary: string, name: string, timing: object) => ({
  summary,
  value: { name, script_id: scriptId, profile_ids: profileIds, ...timing },
});

const createDescription = `Takes the general fields and exactly the timing fields of the \`schedule_type\`; those of another type are refused.

| schedule_type | needs | runs |
|---|---|---|
| once | \`run_at\` | at that instant, then turns itself off |
| interval | \`interval_minutes\`, may have \`interval_unit\` (\`minutes\`, \`hours\` or \`days\`; default \`minutes\`) | each time this many units have passed, counted from when it was turned on |
| daily | \`daily_hour\`, \`daily_minute\` | every day |
| weekly | \`weekly_day\` (0 is Sunday), \`daily_hour\`, \`daily_minute\` | every week |
| cron | \`cron_expr\` | as crontab(5): five fields (minute, hour, day of month, month, day of week) of numbers, names, \`*\`, ranges, lists and steps; or \`@hourly\`, \`@daily\`, \`@weekly\`, \`@monthly\`, \`@yearly\`. If neither day field begins with \`*\`, a match of one is enough |

Times of day are in the machine's timezone, which the record shows. A time that does not exist because the clock is put forward runs at the moment of the change; a time that exists twice because the clock is put back runs only the first time. A cron expression for every hour follows the minutes of the clock, also in an hour that exists twice.

Each due time becomes a run with \`source\` \`schedule\`; list them with \`GET /v1/runs?schedule_id=\`. A run is recorded as \`skipped\`, with the reason in \`error\`, when the schedule's previous run is still in progress, when the script has lost its approval, when the plan refuses, and when it was due while the service was off. What was due while the machine slept runs once when it wakes.`;

export const scheduleRoutes = [
  route({
    id: "listSchedules",
    method: "GET",
    path: "/v1/schedules",
    access: "read",
    expensive: false,
    tag: "Schedules",
    quotes: null,
    summary: "List schedules",
    description: "Script, target profiles, timing, next run and last run of each.",
    params: null,
    query: null,
    body: null,
    reply: { status: 200, schema: "Schedule", array: true, description: "All schedules, oldest first." },
    faults: {},
    handle: async ({ actors }) => new JsonBytes((await actors.library.listSchedules({})).json),
  }),
  route({
    id: "createSchedule",
    method: "POST",
    path: "/v1/schedules",
    access: "write",
    expensive: false,
    tag: "Schedules",
    quotes: null,
    summary: "Create a schedule",
    description: createDescription,
    params: null,
    query: null,
    body: "CreateScheduleBody",
    bodyExamples: {
      once: example("Once, at an instant", "New year", {
        schedule_type: "once",
        run_at: "2030-01-01T00:00:00+01:00",
      }),
      interval: example("Every six hours, two profiles at a time", "Check stock", {
        schedule_type: "interval",
        interval_minutes: 6,
        interval_unit: "hours",
        concurrency: 2,
      }),
      daily: example("Every day at 08:30", "Morning round", {
        schedule_type: "daily",
        daily_hour: 8,
        daily_minute: 30,
      }),
      weekly: example("Mondays at 09:00, starts at least 5 s apart", "Weekly report", {
        schedule_type: "weekly",
        weekly_day: 1,
        daily_hour: 9,
        daily_minute: 0,
        stagger_ms: 5000,
      }),
      cron: example("Every quarter of an hour in office hours, created turned off", "Office hours", {
        schedule_type: "cron",
        cron_expr: "*/15 9-17 * * mon-fri",
        enabled: false,
      }),
    },
    reply: { status: 200, schema: "Schedule", description: "The schedule, with its next run." },
    faults: {
      400: "A field is missing, out of range or of another schedule_type, run_at has passed, cron_expr is not a crontab expression or never matches, the script is not approved, or the plan lacks the Flow feature.",
      404: "script_id names no script.",
      409: "A profile does not exist.",
    },
    names: ({ body }) => body.profile_ids,
    async handle({ body, actors }) {
      const timing = timingOf(body);
      await checkConcurrency(actors, body.concurrency);
      return actors.scheduler.create({
        name: body.name,
        scriptId: body.script_id,
        profileIds: body.profile_ids,
        enabled: body.enabled ?? true,
        concurrency: body.concurrency ?? 0,
        staggerMs: body.stagger_ms ?? 0,
        timing,
      });
    },
  }),
  route({
    id: "patchSchedule",
    method: "PATCH",
    path: "/v1/schedules/{id}",
    access: "write",
    expensive: false,
    tag: "Schedules",
    quotes: null,
    summary: "Change a schedule",
    description:
      "Absent fields stay. A new timing, and turning it on, compute the next run from now. A run in progress continues as it began.",
    params: "IdParams",
    query: null,
    body: "PatchScheduleBody",
    bodyExamples: { hour: { summary: "Another hour of a daily schedule", value: { daily_hour: 9 } } },
    reply: { status: 200, schema: "Schedule", description: "The schedule." },
    faults: {
      400: "A field is out of range or of another schedule_type, or the script is not approved.",
      404: "No schedule has this id, or script_id names no script.",
      409: "A profile does not exist.",
    },
    names: ({ body }) => body.profile_ids ?? [],
    async handle({ params, body, actors }) {
      if (body.concurrency != null) await checkConcurrency(actors, body.concurrency);
      for (;;) {
        try {
          return await changed(actors, params.id, body);
        } catch (error) {
          // Another call has changed the timing: the given fields are joined to the new one.
          if (!(error instanceof Fault) || error.detail?.code !== "changed-meanwhile") throw error;
        }
      }
    },
  }),
  route({
    id: "deleteSchedule",
    method: "DELETE",
    path: "/v1/schedules/{id}",
    access: "write",
    expensive: false,
    tag: "Schedules",
    quotes: null,
    summary: "Delete a schedule; its runs stay",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "It is gone." },
    faults: {
      400: "The id is not a uuid.",
      404: "No schedule has this id.",
      409: "A run of it is in progress.",
    },
    handle: ({ params, actors }) =>
      actors.library.deleteSchedule({ scheduleId: params.id, unlessRunning: true }),
  }),
  route({
    id: "enableSchedule",
    method: "POST",
    path: "/v1/schedules/{id}/enabled",
    access: "write",
    expensive: false,
    tag: "Schedules",
    quotes: null,
    summary: "Turn a schedule on or off",
    description:
      "Turning on recomputes the next run: an interval counts from now. A run in progress continues.",
    params: "IdParams",
    query: null,
    body: "ScheduleEnabledBody",
    bodyExamples: { off: { summary: "Turn off", value: { enabled: false } } },
    reply: { status: 200, schema: "Schedule", description: "The current schedule." },
    faults: {
      400: "The id is not a uuid, or enabled is missing.",
      404: "No schedule has this id.",
      409: "The schedule is of type once, and its run_at has passed.",
    },
    handle: ({ params, body, actors }) =>
      actors.scheduler.setEnabled({ scheduleId: params.id, enabled: body.enabled }),
  }),
  route({
    id: "runSchedule",
    method: "POST",
    path: "/v1/schedules/{id}/run",
    access: "write",
    expensive: true,
    tag: "Schedules",
    quotes: null,
    summary: "Run a schedule once now",
    description:
      "Returns the run at once; poll `GET /v1/runs/{id}`. The schedule's state and its next run do not change. The run is `skipped`, with the reason in `error`, when the previous one is still in progress, the script has lost its approval, or the plan refuses.",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 200, schema: "Run", description: "The run: started, or skipped." },
    faults: { 400: "The id is not a uuid.", 404: "No schedule has this id." },
    handle: ({ params, actors }) => actors.scheduler.runNow({ scheduleId: params.id }),
  }),
];

async function changed(
  { library, scheduler }: Pick<Actors, "library" | "scheduler">,
  scheduleId: string,
  body: PatchScheduleBody,
): Promise<Schedule> {
  const { timing: timingBefore } = await library.readSchedule({ scheduleId });
  const timing = changedTiming(body, timingBefore);
  const changes = {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.script_id !== undefined && { scriptId: body.script_id }),
    ...(body.profile_ids !== undefined && { profileIds: body.profile_ids }),
    ...(body.enabled !== undefined && { enabled: body.enabled }),
    ...(body.concurrency !== undefined && { concurrency: body.concurrency ?? 0 }),
    ...(body.stagger_ms !== undefined && { staggerMs: body.stagger_ms }),
    ...(timing !== null && { timing }),
  };
  return scheduler.change({ scheduleId, changes, ...(timing !== null && { timingBefore }) });
}
