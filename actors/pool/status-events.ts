/** Reports each change of a profile's status, and each handoff, to the library's journal of events. */
import type { NewEvent } from "../../protocol/events.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { ProfileStatus } from "../../protocol/scalars.ts";
import { inBackground } from "../kernel/background.ts";
import type { Log } from "../kernel/log.ts";

export interface StatusEvents {
  /** To be called with the live profiles after each change. */
  changed(live: readonly LiveProfile[]): void;
  note(event: NewEvent): void;
  /** How the profile's handoff has ended, before `changed` hears of its end. Without it the browser has ended. */
  handoffEnds(profileId: string, outcome: string): void;
}

/** Reports go one after the other, so that they keep their order. */
export function createStatusEvents(library: Pick<LibraryApi, "noteEvents">, log: Log): StatusEvents {
  let before = new Map<string, ProfileStatus>();
  let asked = new Map<string, string>();
  const outcomes = new Map<string, string>();
  let reported: Promise<unknown> = Promise.resolve();
  const report = (events: NewEvent[]) => {
    reported = reported.catch(() => {}).then(() => library.noteEvents({ events }));
    inBackground(log, "reporting a profile's status", reported);
  };
  const changed = (live: readonly LiveProfile[]) => {
    const now = new Map(live.map(({ profileId, status }) => [profileId, status]));
    const events = [...new Set([...before.keys(), ...now.keys()])].flatMap((profile_id): NewEvent[] => {
      const status = now.get(profile_id) ?? "stopped";
      return (before.get(profile_id) ?? "stopped") === status
        ? []
        : [{ type: "profile.status", profile_id, status }];
    });
    before = now;
    const asks = new Map(
      live.flatMap(({ profileId, handoff }) => (handoff === undefined ? [] : [[profileId, handoff]])),
    );
    for (const [profile_id, message] of asks)
      if (!asked.has(profile_id)) events.push({ type: "handoff.asked", profile_id, message });
    for (const profile_id of asked.keys())
      if (!asks.has(profile_id)) {
        events.push({ type: "handoff.ended", profile_id, status: outcomes.get(profile_id) ?? "stopped" });
        outcomes.delete(profile_id);
      }
    asked = asks;
    if (events.length > 0) report(events);
  };
  return {
    changed,
    note: (event) => report([event]),
    handoffEnds: (profileId, outcome) => void outcomes.set(profileId, outcome),
  };
}
