/** Typed handles to the actors, and one port for each running profile. */

import { connectProfile } from "../actors/kernel/profile-port.ts";
import { readCapacity } from "../protocol/capacity-word.ts";
import { verbs } from "../protocol/generated/verb-table.ts";
import { limits } from "../protocol/limits.ts";
import type { Deadlines } from "../protocol/messages/deadlines.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";
import type { OperationsApi } from "../protocol/messages/operations.ts";
import type { PoolApi } from "../protocol/messages/pool.ts";
import type { ProfilePageApi } from "../protocol/messages/profile.ts";
import type { RunsApi } from "../protocol/messages/runs.ts";
import type { SchedulerApi } from "../protocol/messages/scheduler.ts";
import type { ScriptTasks } from "../protocol/messages/tasks.ts";
import type { Capacity } from "../protocol/records.ts";
import type { EventHub } from "./events.ts";
import type { Metrics } from "./metrics.ts";
import { createRunLogs, type RunLogs } from "./run-logs.ts";
import { sharedRead } from "./shared-read.ts";

export interface Actors {
  library: LibraryApi;
  pool: PoolApi;
  operations: OperationsApi;
  runs: RunsApi;
  scheduler: SchedulerApi;
  tasks: ScriptTasks;
  dataDir: string;
  isFleetHead(): boolean;
  events: EventHub;
  metrics: Metrics;
  logs: RunLogs;
  /** Read from shared memory, without a call to the pool's thread. */
  capacity(): Promise<Capacity>;
  /** JSON bytes of all profiles with their running state, newest last. Calls made at once share one read. */
  profileList(): Promise<Uint8Array>;
  /** Throws `conflict` (the profile does not exist or is not running). */
  page(profileId: string): Promise<ProfilePageApi>;
}

/** The wait behind other verbs of the profile. Its thread ends each verb earlier than the deadline. */
const pageWaitMs = 5 * 60_000;
const pageDeadlines: Deadlines<ProfilePageApi> = {
  ...Object.fromEntries(Object.entries(verbs).map(([name, { timeoutMs }]) => [name, pageWaitMs + timeoutMs])),
  openTab: pageWaitMs + verbs.navigate.timeoutMs,
  readDownload: pageWaitMs + 600_000,
  handoff: pageWaitMs + limits.handoffMs.most,
  activateTab: pageWaitMs,
  closeTab: pageWaitMs,
};

/** Adds shared reads and the pages of profiles. A page is connected on first use and dropped when its profile ends. */
export function connectActors(
  lasting: Omit<Actors, "page" | "capacity" | "profileList" | "logs">,
  capacityWord: SharedArrayBuffer,
  failed: (error: unknown) => void,
): Actors {
  const { library, pool } = lasting;
  const pages = new Map<string, Promise<ProfilePageApi>>();

  const connect = async (profileId: string): Promise<ProfilePageApi> => {
    const onEnd = () => void pages.delete(profileId);
    return (await connectProfile(pool, profileId, { deadlines: pageDeadlines, onEnd })).page;
  };
  const page = (profileId: string) => {
    const known = pages.get(profileId);
    if (known !== undefined) return known;
    const made = connect(profileId);
    pages.set(profileId, made);
    made.catch(() => pages.delete(profileId));
    return made;
  };
  return {
    ...lasting,
    capacity: async () => readCapacity(capacityWord),
    profileList: sharedRead(async () => {
      const live = await pool.live({});
      return (await library.listProfiles({ live })).json;
    }),
    page,
    logs: createRunLogs({ ...lasting, page }, failed),
  };
}
