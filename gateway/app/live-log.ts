/** The log lines of a run in progress, for the control page. */
import type { ServerResponse } from "node:http";
import { beginEvents } from "../respond.ts";
import type { RunLogs } from "../run-logs.ts";
import { pageHeaders } from "./page-files.ts";

const pathPattern = /^\/live\/runs\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Serves GET /live/runs/{id}; false for any other path. */
export function answerLiveLog(logs: RunLogs, path: string, response: ServerResponse): boolean {
  const runId = pathPattern.exec(path)?.[1];
  if (runId === undefined) return false;
  beginEvents(response, pageHeaders);
  logs.send(runId, response, false);
  return true;
}
