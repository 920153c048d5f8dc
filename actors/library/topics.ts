/** Which kind of record each library call changes. Absent calls change nothing that a client watches. */
import type { ChangeCalls, Topic } from "../../protocol/messages/changes.ts";
import type { EventCalls } from "../../protocol/messages/events.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { createChangeFeed } from "../kernel/change-feed.ts";

type Call = Exclude<keyof LibraryApi, "changes" | "close">;

const topics: Partial<Record<Call, Topic | Topic[]>> = {
  createProfiles: ["profiles", "proxies", "datasets"],
  profileUsed: "profiles",
  setVariables: "profiles",
  editProfiles: "profiles",
  duplicateProfile: ["profiles", "proxies"],
  importProfile: "profiles",
  patchProfile: ["profiles", "proxies"],
  trashProfiles: "profiles",
  restoreProfiles: "profiles",
  deleteForGood: "profiles",
  assignProxyPool: ["profiles", "proxies"],
  assignDataset: ["profiles", "datasets"],
  unassignDataset: ["profiles", "datasets"],
  createProxyPool: "proxies",
  createRotatingPool: "proxies",
  deleteProxyPool: "proxies",
  renameProxyPool: ["proxies", "profiles"],
  exitMeasured: "proxies",
  createDataset: "datasets",
  appendRows: "datasets",
  resetDataset: "datasets",
  deleteDataset: "datasets",
  saveScript: "scripts",
  saveDslScript: "scripts",
  approveScript: "scripts",
  deleteScript: "scripts",
  proxiesTested: "proxies",
  createSchedule: "schedules",
  changeSchedule: "schedules",
  setScheduleNextRun: "schedules",
  renewNextRuns: "schedules",
  deleteSchedule: "schedules",
  createRun: "runs",
  fireSchedule: ["runs", "schedules"],
  cancelRun: "runs",
  deleteRun: ["runs", "schedules"],
  beginRunProfile: ["runs", "datasets"],
  endRunProfile: ["runs", "datasets"],
  endRun: ["runs", "schedules"],
  mintToken: "tokens",
  revokeToken: "tokens",
  changeSettings: "settings",
};

/** Wraps the library's calls so that successful changes are reported. */
export function telling<Library extends Omit<LibraryApi, "changes" | keyof EventCalls>>(
  library: Library,
): Library & ChangeCalls {
  const feed = createChangeFeed();
  const told = { ...library };
  for (const [name, topic] of Object.entries(topics)) {
    const call: unknown = Reflect.get(library, name);
    if (typeof call !== "function") continue;
    Reflect.set(told, name, async (input: unknown) => {
      const result: unknown = await call.call(library, input);
      for (const one of [topic].flat()) feed.note(one);
      return result;
    });
  }
  return {
    ...told,
    changes: (input) => feed.changes(input),
    close(input: Record<string, never>) {
      feed.close();
      return library.close(input);
    },
  };
}
