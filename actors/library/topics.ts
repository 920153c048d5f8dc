/** Which kind of record each call of the library changes; the calls that are not here change none that anybody looks at. */
import type { ChangesApi, Topic } from "../../protocol/messages/changes.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { createChangeFeed } from "../kernel/change-feed.ts";

type Call = Exclude<keyof LibraryApi, "changes" | "close">;

const topics: Partial<Record<Call, Topic>> = {
  createProfiles: "profiles",
  profileUsed: "profiles",
  setVariables: "profiles",
  editProfiles: "profiles",
  trashProfiles: "profiles",
  restoreProfiles: "profiles",
  deleteForGood: "profiles",
  assignProxyPool: "profiles",
  assignDataset: "profiles",
  unassignDataset: "profiles",
  createProxyPool: "proxies",
  createRotatingPool: "proxies",
  exitMeasured: "proxies",
  createDataset: "datasets",
  appendRows: "datasets",
  resetDataset: "datasets",
  saveScript: "scripts",
  saveDslScript: "scripts",
  approveScript: "scripts",
  proxiesTested: "proxies",
  createSchedule: "schedules",
  setScheduleNextRun: "schedules",
  renewNextRuns: "schedules",
  deleteSchedule: "schedules",
  createRun: "runs",
  fireSchedule: "runs",
  cancelRun: "runs",
  beginRunProfile: "runs",
  endRunProfile: "runs",
  endRun: "runs",
  mintToken: "tokens",
  revokeToken: "tokens",
  changeSettings: "settings",
};

/** The library's calls, with those that change something noted when they have done so. */
export function telling<Library extends Omit<LibraryApi, "changes">>(library: Library): Library & ChangesApi {
  const feed = createChangeFeed();
  const told = { ...library };
  for (const [name, topic] of Object.entries(topics)) {
    const call: unknown = Reflect.get(library, name);
    if (typeof call !== "function") continue;
    Reflect.set(told, name, async (input: unknown) => {
      const result: unknown = await call.call(library, input);
      feed.note(topic);
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
