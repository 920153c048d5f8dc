/** Fake scripts: how a profile thread's page handles its jobs. */

import { Fault } from "../../protocol/faults.ts";
import { eachVerb } from "../../protocol/generated/verb-table.ts";
import { limits } from "../../protocol/limits.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { ProfilePageApi, ScriptJob } from "../../protocol/messages/profile.ts";
import { nothingDone } from "../../protocol/run-outcomes.ts";
import type { Chance } from "./chance.ts";
import type { Manners } from "./manners.ts";
import type { Timeline } from "./timeline.ts";

export interface Script {
  runId: string;
  end(outcome: Partial<RunProfileOutcome> & Pick<RunProfileOutcome, "status">): void;
  lose(fault: Fault): void;
}

export interface ScriptParts {
  timeline: Timeline;
  chance: Chance;
  manners: Manners;
  given(job: ScriptJob & { profileId: string }): void;
}

interface ScriptHost {
  profileId(): string;
  running(): boolean;
  begin(script: Script): void;
  over(script: Script): void;
  scripts(): Script[];
}

export function createScripts(
  { timeline, chance, manners, given }: ScriptParts,
  host: ScriptHost,
): ProfilePageApi {
  const none = async (): Promise<never> => {
    throw new Fault("conflict", "only scripts are simulated");
  };
  const plain = { error: null, ...nothingDone() };
  return {
    runScript: (job) =>
      new Promise<RunProfileOutcome>((resolve, reject) => {
        if (!host.running()) return reject(new Fault("conflict", "the profile is not running"));
        given({ ...job, profileId: host.profileId() });
        const script: Script = {
          runId: job.runId,
          end(outcome) {
            host.over(script);
            resolve({ ...plain, ...outcome });
          },
          lose: reject,
        };
        host.begin(script);
        const ms = chance.is(0.1) ? job.timeoutMs * 2 : chance.span(manners.scriptMs);
        timeline.after(Math.min(ms, job.timeoutMs), () =>
          script.end(
            ms >= job.timeoutMs || chance.is(0.3)
              ? { status: "failed", error: "it threw" }
              : { status: "completed" },
          ),
        );
      }),
    async abortScript({ runId, reason }) {
      for (const script of host.scripts().filter((one) => one.runId === runId))
        timeline.after(chance.between(1, limits.scriptAbortGraceMs), () =>
          script.end({ status: "failed", error: reason }),
        );
      return null;
    },
    ...eachVerb(none),
    scriptLog: async () => null,
    cdpTrace: none,
    handoff: none,
    endHandoff: none,
    leaveHandoff: none,
    userInput: none,
    listTabs: none,
    openTab: none,
    activateTab: none,
    closeTab: none,
    listDownloads: none,
    readDownload: none,
    deleteDownload: none,
    readCookies: none,
    deleteCookies: none,
    writeCookies: none,
    picture: none,
  };
}
