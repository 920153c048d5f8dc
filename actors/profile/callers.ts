/** The callers of the page: each has a port of its own, which closes with the profile. */
import type { MessagePort } from "node:worker_threads";
import { profilePageChecks } from "../../protocol/generated/messages/profile.ts";
import { verbChecks } from "../../protocol/generated/verbs.ts";
import type { Checks } from "../../protocol/messages/checks.ts";
import type { ProfilePageApi, ScriptJob } from "../../protocol/messages/profile.ts";
import type { Log } from "../kernel/log.ts";
import { serveApi } from "../kernel/rpc.ts";

export interface Callers {
  serve(port: MessagePort): void;
  /** Closes every port. Replies that were sent still arrive. */
  close(): void;
}

/** Of all calls on a profile's port. */
export const pageChecks: Checks<ProfilePageApi> = { ...profilePageChecks, ...verbChecks };

/** Calls `abortScript` for each script whose caller disconnects, since no one would receive its outcome. */
export function createCallers(page: ProfilePageApi, log: Log, abortScript: (runId: string) => void): Callers {
  const ports = new Set<MessagePort>();
  return {
    serve(port) {
      ports.add(port);
      const jobs = new Set<ScriptJob>();
      const runScript: ProfilePageApi["runScript"] = async (job) => {
        jobs.add(job);
        return page.runScript(job).finally(() => jobs.delete(job));
      };
      serveApi(port, { ...page, runScript }, pageChecks, { log });
      port.on("close", () => {
        ports.delete(port);
        for (const { runId } of jobs) abortScript(runId);
      });
    },
    close() {
      for (const port of ports) port.close();
    },
  };
}
