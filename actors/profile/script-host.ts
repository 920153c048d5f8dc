/** Runs scripts on this profile's browser, each in its own runner, and starts one runner in advance. */

import { Fault } from "../../protocol/faults.ts";
import type { HandoffOutcome } from "../../protocol/handoff.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { ScriptJob } from "../../protocol/messages/profile.ts";
import type { WarmRunner } from "../../protocol/profile-spec.ts";
import { failedOutcome } from "../../protocol/run-outcomes.ts";
import type { ScriptLogTail } from "../../protocol/run-task.ts";
import type { Clock } from "../kernel/clock.ts";
import { createLog, type Log } from "../kernel/log.ts";
import { thisMachine } from "../kernel/this-machine.ts";
import type { ScriptBrowser } from "../script/relay.ts";
import type { RunnerDirs } from "../script/spawn.ts";
import { supervise } from "../script/supervise.ts";
import { createCdpPolicy, urlRefusal } from "./cdp-policy.ts";
import type { HandoffWish } from "./handoff.ts";
import { openPageGuard, type PageGuard, type PageGuardOptions } from "./page-guard.ts";
import { createScriptLogs } from "./script-logs.ts";
import { ScriptRunners } from "./script-runners.ts";

export interface ScriptHostParts extends RunnerDirs {
  log: Log;
  clock: Clock;
  browser: () => ScriptBrowser;
  profile: { id: string; name: string };
  /** Hands the profile to the user, for a script. */
  handoff(wish: HandoffWish): Promise<HandoffOutcome>;
}

export interface ScriptHost {
  /** Starts a runner in advance, unless one waits already. Resolves when it is ready or has failed. */
  warm(kind: WarmRunner): Promise<void>;
  /** Runs the script to its end. Never rejects for what the script does. */
  run(job: ScriptJob): Promise<RunProfileOutcome>;
  /** Waits for new lines of the run's log; null when none came. */
  logOf(runId: string, after: number): Promise<ScriptLogTail | null>;
  /** Ends the run's script with `reason` as its error, if it runs. */
  abort(runId: string, reason: string): void;
  /** Ends all scripts and the waiting runner; resolves when their processes have ended. */
  close(): Promise<void>;
}

export function createScriptHost({
  log,
  clock,
  browser: browserNow,
  profile,
  uploadsDir,
  tempDir,
  libraryCacheDir,
  handoff,
}: ScriptHostParts): ScriptHost {
  const running = new Map<string, { abort: AbortController; done: Promise<RunProfileOutcome> }>();
  const logs = createScriptLogs(clock);
  const scriptLog = createLog("script");
  const runners = new ScriptRunners({ log, uploadsDir, tempDir, libraryCacheDir });
  const lasting = lastingGuard();
  let closed = false;

  const perform = async (job: ScriptJob, abort: AbortController): Promise<RunProfileOutcome> => {
    const browser = browserNow();
    const { approved } = job;
    const ownPort = Number(new URL(browser.cdpUrl).port);
    const rules = {
      approved,
      refusedPorts: [ownPort, ...(job.refusedPorts ?? [])],
      isThisMachine: await thisMachine(),
    };
    const { ledger, end } = logs.begin(job.runId);
    const blocked = blockedLog(log, job.runId);
    const opening = {
      browser,
      refusal: (address: string) => urlRefusal(address, rules),
      onRefused: blocked.note,
    };
    const guarding = approved ? openPageGuard({ ...opening, what: "documents" }) : lasting.during(opening);
    const taking = runners.take({ library: job.library, approved });
    try {
      const [runner, guard] = await Promise.allSettled([taking, guarding]);
      if (runner.status === "rejected") throw runner.reason;
      if (guard.status === "rejected") throw guard.reason;
      const { root, scratchDir } = runner.value.workspace;
      const policy = createCdpPolicy({ fileDirs: [uploadsDir, scratchDir], downloadDir: root, ...rules });
      scriptLog.debug("a script begins", {
        library: job.library,
        approved,
        isolation: runner.value.isolation,
      });
      const outcome = await supervise({
        runner: runner.value,
        job,
        profile,
        uploadsDir,
        browser,
        policy,
        clock,
        ledger,
        handoff,
        abort: abort.signal,
      });
      scriptLog.debug("a script ended", { status: outcome.status });
      return { ...outcome, isolation: runner.value.isolation };
    } finally {
      end();
      blocked.end();
      runners.discard(taking.catch(() => null)); // `allSettled` above reported both errors.
      if (approved) void guarding.then((guard) => guard.close()).catch(() => {});
    }
  };

  return {
    async warm(kind) {
      if (!closed) await runners.warm(kind);
    },
    async run(job) {
      if (closed) return failedOutcome("the profile is stopping");
      const abort = new AbortController();
      const done = perform(job, abort).catch((error: unknown) => {
        if (!(error instanceof Fault)) log.error("a script could not be run", { runId: job.runId, error });
        return failedOutcome(error instanceof Error ? error.message : String(error));
      });
      running.set(job.runId, { abort, done });
      try {
        return await done;
      } finally {
        running.delete(job.runId);
      }
    },
    logOf: (runId, after) => logs.next(runId, after),
    abort: (runId, reason) => running.get(runId)?.abort.abort(new Error(reason)),
    async close() {
      closed = true;
      logs.close();
      const runs = [...running.values()];
      for (const { abort } of runs) abort.abort(new Error("the profile was stopped"));
      await Promise.all([runners.close(), ...runs.map(({ done }) => done)]);
      await runners.close(); // Those of the runs that have just ended.
      lasting.close();
    },
  };
}

/** The guard of unapproved scripts. It stays until the profile stops, because their pages stay open, with timers and pending requests. */
function lastingGuard() {
  let guard: Promise<PageGuard> | null = null;
  let noting: PageGuardOptions["onRefused"] = () => {};
  return {
    /** Opens the guard for the first script, and reports what it blocks to the latest one. */
    during({ onRefused, ...options }: Omit<PageGuardOptions, "what">): Promise<PageGuard> {
      noting = onRefused;
      guard ??= openPageGuard({ ...options, what: "all", onRefused: (url, why) => noting(url, why) });
      const begun = guard;
      begun.catch(() => {
        if (guard === begun) guard = null;
      });
      return begun;
    },
    close(): void {
      void guard?.then((begun) => begun.close()).catch(() => {});
    },
  };
}

const blockedLoggedMax = 20;
const addressCharsMax = 200;

/** Logs the first blocked addresses of a run and the number of all: a page chooses how many there are, and how long. */
function blockedLog(log: Log, runId: string) {
  let count = 0;
  return {
    note(address: string, reason: string): void {
      count += 1;
      if (count > blockedLoggedMax) return;
      const cut = address.slice(0, addressCharsMax);
      log.warn("a script's page was blocked from an address", { runId, address: cut, reason });
    },
    end(): void {
      if (count > blockedLoggedMax)
        log.warn("a script's pages were blocked from more addresses", { runId, count });
    },
  };
}
