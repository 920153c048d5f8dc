/** Events of the service, as `GET /v1/events` sends them (protocol/README.md, "Events"). */
import type { tags } from "typia";
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
] as const;

export type EventType = (typeof eventTypes)[number];

/** What happened; fields that do not belong to the type are absent. */
export interface NewEvent {
  type: EventType;
  profile_id?: Uuid;
  run_id?: Uuid;
  schedule_id?: Uuid;
  pool_id?: Uuid;
  /** Of a profile, a run, or a profile's part of a run. */
  status?: string;
  error?: string;
}

export interface ServiceEvent extends NewEvent {
  at: DateTime;
}

export interface StoredEvent {
  /** Grows by one; after a crash by more. */
  id: Count;
  event: ServiceEvent;
}

export interface EventsQuery {
  /** Types, comma-separated. Default: all. */
  types?: Text;
  profile_id?: Uuid;
  run_id?: Uuid;
  /** Events after this id, as the header Last-Event-ID. Default: from now on. */
  after?: number & tags.Type<"uint64">;
}

export interface EventShapes {
  EventsQuery: EventsQuery;
}
