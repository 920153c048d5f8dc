/** Refuses what needs a profile's files while the newest of them are in the fleet. */
import { Fault } from "../../protocol/faults.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { isInFleet } from "../../storage/tables/fleet-profiles.ts";

/** Throws `conflict` with the code `in-fleet` when the newest files of the profile are not here. */
export function refuseInFleet(sql: Reader, profileId: string): void {
  if (!isInFleet(sql, profileId)) return;
  throw new Fault(
    "conflict",
    `the newest files of profile ${profileId} are in the fleet; launch it here, which fetches them, then try again`,
    { code: "in-fleet" },
  );
}
