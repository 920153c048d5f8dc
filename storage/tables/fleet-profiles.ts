/** Table of profiles whose newest files are in the fleet. */
import { text } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";

export function isInFleet(sql: Reader, profileId: string): boolean {
  return sql.first("SELECT 1 FROM fleet_profiles WHERE profile_id = ?", [profileId]) !== undefined;
}

/** Also those in the trash. */
export function profilesInFleet(sql: Reader): string[] {
  return sql
    .all("SELECT profile_id FROM fleet_profiles ORDER BY profile_id")
    .map((row) => text(row, "profile_id"));
}

export function setInFleet(sql: Writer, profileId: string, inFleet: boolean): void {
  if (inFleet) sql.run("INSERT OR IGNORE INTO fleet_profiles (profile_id) VALUES (?)", [profileId]);
  else sql.run("DELETE FROM fleet_profiles WHERE profile_id = ?", [profileId]);
}
