/** The shared context of all library areas: storage, clock and timestamps. */
import type { Storage } from "../../storage/storage.ts";
import type { Clock } from "../kernel/clock.ts";
import type { ProfileFiles } from "./profile-files.ts";

export interface LibraryContext extends Pick<Storage, "database" | "vault" | "disk" | "dataDir"> {
  clock: Clock;
  profileFiles: ProfileFiles;
}

/** RFC 3339, UTC, milliseconds. */
export function instant(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
