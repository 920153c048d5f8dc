/** Events as text, with links to what they are about. */
import { useMemo } from "preact/hooks";
import type { EventType, ServiceEvent, StoredEvent } from "../../../../protocol/events.ts";
import type { ProxyPool } from "../../../../protocol/proxies.ts";
import type { Run } from "../../../../protocol/records.ts";
import type { Schedule } from "../../../../protocol/schedules.ts";
import { app, get } from "../api.ts";
import { useLive } from "../live.ts";
import { useNames } from "../profiles/store.ts";

export const eventWords: Record<EventType, string> = {
  "profile.status": "Profile status",
  "profile.changed": "Profile changed",
  "run.started": "Run started",
  "run.progress": "Run progress",
  "run.ended": "Run ended",
  "schedule.fired": "Schedule fired",
  "schedule.skipped": "Schedule skipped",
  "proxy.dead": "Proxy dead",
  "handoff.asked": "Handoff asked",
  "handoff.ended": "Handoff ended",
  "download.done": "Download done",
};

const tones: Record<string, string> = {
  running: "good",
  completed: "good",
  handed_back: "good",
  partial: "warn",
  failed: "bad",
  crashed: "bad",
};

export function toneOf({ type, status = "" }: ServiceEvent): string {
  if (type === "proxy.dead" || type === "schedule.skipped") return "bad";
  return type === "handoff.asked" ? "warn" : (tones[status] ?? "soft");
}

export interface Names {
  profile(id: string): string;
  run(id: string): string;
  schedule(id: string): string;
  pool(id: string): string;
}

/** The names of what `events` are about. The runs are read again for a run that is new. */
export function useEventNames(events: readonly StoredEvent[]): Names {
  const profile = useNames();
  const newest = events.find(({ event }) => event.type === "run.started")?.event.run_id ?? "";
  const runs = useLive([], () => get<Run[]>("/v1/runs?limit=100"), newest).value;
  const scripts = useLive(["scripts"], () => app.listScripts({})).value;
  const schedules = useLive(["schedules"], () => get<Schedule[]>("/v1/schedules")).value;
  const pools = useLive(["proxies"], () => get<ProxyPool[]>("/v1/proxy-pools")).value;
  const run = useMemo(() => {
    const nameOf = namesOf(scripts);
    return new Map(runs?.map(({ id, scriptId }) => [id, nameOf(scriptId ?? "", "deleted script")]));
  }, [runs, scripts]);
  const schedule = namesOf(schedules);
  const pool = namesOf(pools);
  return {
    profile,
    run: (id) => `Run of ${run.get(id) ?? "a script"}`,
    schedule: (id) => schedule(id, "a schedule"),
    pool: (id) => pool(id, "a proxy pool"),
  };
}

function namesOf(records: readonly { id: string; name: string }[] | null) {
  const names = new Map(records?.map(({ id, name }) => [id, name]));
  return (id: string, other: string) => names.get(id) ?? other;
}

export function Subjects({ event, names }: { event: ServiceEvent; names: Names }) {
  const { profile_id: profile, run_id: run, schedule_id: schedule, pool_id: pool } = event;
  return (
    <span class="row tight">
      {profile === undefined ? null : <a href={`#/profiles/${profile}`}>{names.profile(profile)}</a>}
      {run === undefined ? null : <a href={`#/runs/${run}`}>{names.run(run)}</a>}
      {schedule === undefined ? null : <a href="#/schedules">{names.schedule(schedule)}</a>}
      {pool === undefined ? null : <a href={`#/proxies/${pool}`}>{names.pool(pool)}</a>}
    </span>
  );
}
