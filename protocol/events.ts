/** Events of the service, as `GET /v1/events` sends them (protocol/README.md, "Events"). */
import type { tags } from "typia";
import { limits } from "./limits.ts";
import type { Count, DateTime, Text, Uuid } from "./scalars.ts";

export const eventTypes = [
  "profile.status",
  "profile.changed",
  "run.started",
  "run.progress",
  "run.ended",
  "schedule.fired",
  "schedule.skipped",
  "proxy.dead",
  "handoff.asked",
  "handoff.ended",
  "download.done",
] as const;

export type EventType = (typeof eventTypes)[number];

/** What happened; fields that do not belong to the type are absent. */
export interface NewEvent {
  type: EventType;
  profile_id?: Uuid;
  run_id?: Uuid;
  schedule_id?: Uuid;
  pool_id?: Uuid;
  download_id?: string;
  /** Of a profile, a run, a profile's part of a run, or a download; a handoff's outcome, or `stopped` when the browser or the script that asked has ended. */
  status?: string;
  error?: string;
  /** What the user is asked; the name of a downloaded file. */
  message?: string;
}

export interface ServiceEvent extends NewEvent {
  at: DateTime;
}

export interface StoredEvent {
  /** Grows by one; after a crash by more. */
  id: Count;
  event: ServiceEvent;
}

/** Those with a later id. Ids grow, and most readers want the last ones. */
export function eventsAfter(events: readonly StoredEvent[], after: number): StoredEvent[] {
  return events.slice(events.findLastIndex(({ id }) => id <= after) + 1);
}

/** How many events between `after` and those of a full journal are gone. */
export function lostBefore(kept: readonly StoredEvent[], after: number): number {
  const first = kept[0]?.id ?? 0;
  return kept.length >= limits.eventsKeptMax ? Math.max(0, first - 1 - after) : 0;
}

export interface EventsQuery {
  /** Types, comma-separated. Default: all. */
  types?: Text;
  profile_id?: Uuid;
  run_id?: Uuid;
  /** Events after this id, as the header Last-Event-ID, which comes first. Default: from now on. */
  after?: number & tags.Type<"uint64">;
}

export interface EventShapes {
  EventsQuery: EventsQuery;
}
