/** Which kind of record each library call changes. Absent calls change nothing that a client watches. */
import type { ChangeCalls, Topic } from "../../protocol/messages/changes.ts";
import type { EventCalls } from "../../protocol/messages/events.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import { createChangeFeed } from "../kernel/change-feed.ts";
import { afterCalls } from "./after-calls.ts";

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
  renewNextRuns: "schedules",
  deleteSchedule: "schedules",
  createRun: "runs",
  fireSchedule: ["runs", "schedules"],
  cancelRun: "runs",
  deleteRun: ["runs", "schedules"],
  beginRunProfile: ["runs", "datasets"],
  placeRunProfile: ["runs", "datasets"],
  notePlaced: "runs",
  endRunProfile: ["runs", "datasets"],
  endRun: ["runs", "schedules"],
  addWebhook: "webhooks",
  removeWebhook: "webhooks",
  webhookSent: "webhooks",
  mintToken: "tokens",
  revokeToken: "tokens",
  changeSettings: "settings",
  addExtension: "settings",
  removeExtension: "settings",
};

/** The library, whose successful changes are reported. */
export function reportingTopics<Library extends Omit<LibraryApi, "changes" | keyof EventCalls>>(
  library: Library,
): Library & ChangeCalls {
  const feed = createChangeFeed();
  return {
    ...afterCalls(library, topics, (topic) => {
      for (const one of [topic].flat()) feed.note(one);
    }),
    changes: (input) => feed.changes(input),
    close(input: Record<string, never>) {
      feed.close();
      return library.close(input);
    },
  };
}
