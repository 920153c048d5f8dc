/** Reports each change of a profile's status to the library's journal of events. */
import type { NewEvent } from "../../protocol/events.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { ProfileStatus } from "../../protocol/scalars.ts";
import { inBackground } from "../kernel/background.ts";
import type { Log } from "../kernel/log.ts";

/** Returns what to call with the live profiles after each change. Reports go one after the other, so that they keep their order. */
export function createStatusEvents(
  library: Pick<LibraryApi, "noteEvents">,
  log: Log,
): (live: readonly LiveProfile[]) => void {
  let before = new Map<string, ProfileStatus>();
  const pending: NewEvent[] = [];
  let reporting = false;
  const report = async () => {
    reporting = true;
    try {
      while (pending.length > 0) await library.noteEvents({ events: pending.splice(0) });
    } finally {
      reporting = false;
    }
  };
  return (live) => {
    const now = new Map(live.map(({ profileId, status }) => [profileId, status]));
    const changes = [...new Set([...before.keys(), ...now.keys()])].flatMap((profile_id): NewEvent[] => {
      const status = now.get(profile_id) ?? "stopped";
      return (before.get(profile_id) ?? "stopped") === status
        ? []
        : [{ type: "profile.status", profile_id, status }];
    });
    before = now;
    pending.push(...changes);
    if (changes.length > 0 && !reporting) inBackground(log, "reporting a profile's status", report());
  };
}
