/** The reply of `GET /v1/health` (protocol/README.md, "Health and metrics"). */
import type { tags } from "typia";
import type { FleetHealth } from "./fleet.ts";
import type { Capacity } from "./records.ts";
import type { Count } from "./scalars.ts";

type Bytes = number & tags.Type<"uint64">;

/** How many browsers may run at once, and how many run now. A launch beyond `max` fails with 409, unless `wait_ms` lets it wait. */
export interface CapacityReply extends Capacity {
  /** Of all machines of the fleet; absent: the service is not the head of one. */
  fleet?: FleetHealth;
}

export interface Health {
  /** Whether changes are stored and browsers can start. */
  ready: boolean;
  /** Why not, in words. */
  lacking: string[];
  /** Null: could not be read. */
  versions: { troupe: string | null; node: string; chromium: string | null };
  /** Of the data directory. */
  disk: { free_bytes: Bytes; total_bytes: Bytes };
  slots: Capacity;
  /** Null: the service is not the head of a fleet. */
  fleet: FleetHealth | null;
  /** Null before the first snapshot; changes since then are in the journal. */
  snapshot_age_secs: Count | null;
}
