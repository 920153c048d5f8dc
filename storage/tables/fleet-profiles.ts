/** Table of profiles whose newest files are in the fleet. */
import type { Reader, Writer } from "../sqlite.ts";

export function isInFleet(sql: Reader, profileId: string): boolean {
  return sql.first("SELECT 1 FROM fleet_profiles WHERE profile_id = ?", [profileId]) !== undefined;
}

export function setInFleet(sql: Writer, profileId: string, inFleet: boolean): void {
  if (inFleet) sql.run("INSERT OR IGNORE INTO fleet_profiles (profile_id) VALUES (?)", [profileId]);
  else sql.run("DELETE FROM fleet_profiles WHERE profile_id = ?", [profileId]);
}
