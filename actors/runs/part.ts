/** One profile's part of a run: opens the browser if needed, runs the script, stores the outcome. */

import { Fault, faultRecord } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { LibraryApi, RunProfileOutcome, RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { LaunchedProfile } from "../../protocol/profile-spec.ts";
import { failedOutcome } from "../../protocol/run-outcomes.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeferred } from "../kernel/deferred.ts";
import { insist, isAnswer } from "../kernel/insist.ts";
import type { Log } from "../kernel/log.ts";
import { connectProfile } from "../kernel/profile-port.ts";
import type { Turns } from "./profile-turns.ts";

/** On a worker of a fleet, the ledger stands in for the library. */
export interface PartContext {
  library: Pick<LibraryApi, "beginRunProfile" | "endRunProfile">;
  pool: Pick<PoolApi, "launch" | "stop" | "connect" | "cancelWait">;
  log: Log;
  clock: Clock;
  turns: Turns;
  ownPorts(): readonly number[];
}

export type PartWork = Pick<RunWork, "library" | "approved" | "headless" | "timeoutMs"> & {
  run: Pick<RunWork["run"], "id">;
  kind?: RunWork["kind"];
  /** Of the script's job. */
  noHandoff?: string;
};

export interface Part {
  profileId: string;
  /** The script has ended and its outcome is stored; the browser may still be closing. */
  done: Promise<void>;
  closed: Promise<void>;
  /** Ends the script, or the wait for the profile or a slot. */
  abort(reason: string): void;
  /** Whether a machine of the fleet has it, or will. Absent: it is here. */
  away?(): boolean;
}

/** Starts a profile's part. Never rejects: errors become the part's outcome. */
export function startPart(context: PartContext, work: PartWork, profileId: string): Part {
  const { library, pool } = context;
  const runId = work.run.id;
  let aborted: string | null = null;
  let abortScript: ((reason: string) => void) | null = null;
  let opened = false;
  let begun = false;
  const { promise: ended, resolve: wake } = createDeferred<void>();
  const goOn = () => {
    if (aborted !== null) throw new Fault("conflict", aborted);
  };

  const drive = async (): Promise<RunProfileOutcome> => {
    await Promise.race([context.turns.take(profileId, closed), ended]);
    goOn();
    const launched = await untilItComes(context, work, profileId, goOn);
    opened = launched.joined !== true;
    goOn();
    const task = await library.beginRunProfile({ runId, profileId });
    begun = true;
    const { page, debuggingPorts, disconnect } = await connectProfile(pool, profileId, {
      // The script host enforces the timeout; this one only catches a thread that has stopped answering.
      deadlines: { runScript: work.timeoutMs + limits.scriptStartTimeoutMs + 60_000 },
      ended: "the browser ended while the script ran",
    });
    abortScript = (reason) => void page.abortScript({ runId, reason }).catch(() => {});
    if (aborted !== null) {
      disconnect();
      throw new Fault("conflict", aborted);
    }
    const running = page.runScript({
      runId,
      source: task.script.source,
      scriptName: task.script.name,
      library: task.script.library,
      approved: task.script.approved,
      variables: task.variables,
      row: task.row ?? null,
      rows: task.rows ?? [],
      scratchDir: task.scratchDir,
      timeoutMs: work.timeoutMs,
      // A browser that starts later is recognised by its paths (actors/profile/page-guard.ts).
      refusedPorts: [...context.ownPorts(), ...debuggingPorts],
      ...(work.noHandoff === undefined ? {} : { noHandoff: work.noHandoff }),
    });
    // Disconnect, or a browser that stays open would keep one port per script.
    const outcome = await running.finally(disconnect);
    return { ...outcome, launchMs: opened ? launched.launchMs : null };
  };

  const keep = (outcome: RunProfileOutcome) =>
    insist(context, `keeping the outcome of ${profileId}`, () =>
      library.endRunProfile({ runId, profileId, outcome }),
    );
  const done: Promise<void> = Promise.resolve()
    .then(drive)
    .catch((error: unknown) => failedOutcome(faultRecord(error).message))
    .then(async (outcome) => {
      // Aborted before its script began: leave it waiting; endRun marks it skipped.
      if (begun || aborted === null) await keep(outcome);
    });
  const closed: Promise<void> = done.then(async () => {
    if (!opened) return;
    await pool
      .stop({ profileId, ticket: runId })
      .catch((error: unknown) => context.log.error("a run could not stop its browser", { profileId, error }));
  });
  return {
    profileId,
    done,
    closed,
    abort(reason) {
      aborted = reason;
      wake();
      if (abortScript !== null) abortScript(reason);
      else void pool.cancelWait({ profileId, ticket: runId }).catch(() => {});
    },
  };
}

/**
 * Joins a running browser or opens one, and waits for a slot (protocol/README.md, "Scripts, runs"). Repeats a launch whose browser
 * failed to start, for example on a busy machine; each try queues again. `goOn` throws to abort.
 */
async function untilItComes(
  { pool, log, clock }: PartContext,
  work: PartWork,
  profileId: string,
  goOn: () => void,
): Promise<LaunchedProfile> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pool.launch({
        profileId,
        options: { headless: work.headless, diagnostic: false, idleTimeoutSecs: limits.runBrowserIdleSecs },
        wait: true,
        owner: work.run.id,
        ...(work.kind && { kind: work.kind }),
        warmRunner: { library: work.library, approved: work.approved },
        runId: work.run.id,
      });
    } catch (error) {
      const mayCome = !isAnswer(error) || error.detail?.code === "no-browser";
      if (!mayCome || tries >= limits.launchTriesMax) throw error;
      goOn();
      log.warn("a run's browser did not start; launching it again", { profileId, tries, error });
      await new Promise<void>((resolve) => clock.timer(limits.launchAgainMs, resolve));
      goOn();
    }
  }
}
