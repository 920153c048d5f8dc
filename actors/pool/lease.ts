/** A lease binds one profile to a slot and a thread, from the accepted launch to the end of its process. */
import { checkProfileNotice } from "../../protocol/generated/messages.ts";
import type { LaunchedProfile, LiveProfile } from "../../protocol/profile-spec.ts";
import type { Log } from "../kernel/log.ts";
import { groupIsAlive, killGroup } from "../kernel/process-group.ts";
import type { ProfileThread } from "./spares.ts";

export type LeasePhase = "starting" | "running" | "stopping";

export interface Lease {
  readonly profileId: string;
  phase: LeasePhase;
  ending: boolean;
  thread: ProfileThread;
  launched: LaunchedProfile | null;
  /** Settles when the browser has ended, the thread has ended or is vacant, and the slot is free. */
  gone: Promise<void>;
  /** The thread no longer belongs to this profile and can be reused. */
  vacant: boolean;
  /** Ends the thread. Its browser ends because the pipe closes (actors/README.md, "Lifeline"). */
  terminate(): Promise<void>;
  /** Like terminate, but kills the browser at once. */
  kill(): Promise<void>;
  endedAs: "stopped" | "crashed";
}

export interface Processes {
  isAlive(pid: number): boolean;
  killGroup(pid: number): void;
}

/** A browser's process group reports no end, so it is polled for, and killed after a while (actors/README.md, "Lifeline"). */
const lookEveryMs = 20;
const forceAfterMs = 2_000;
/** A thread without a browser is terminated if it is neither vacant nor ended after this time. */
const leaveMs = 10_000;

interface LeaseParts {
  processes: Processes;
  /** Called when the browser starts slowly because other processes use the cores. */
  onSlow(): void;
  /** Usually called before the browser's process has ended. */
  onEnding(lease: Lease): void;
  onGone(lease: Lease): void;
}

export function openLease(
  profileId: string,
  thread: ProfileThread,
  log: Log,
  { processes, onSlow, onEnding, onGone }: LeaseParts,
): Lease {
  let pid: number | null = null;
  let doomed = false;
  let leaving: NodeJS.Timeout | null = null;
  let onVacant = (): void => {};
  const vacated = new Promise<number>((resolve) => {
    onVacant = () => resolve(0);
  });
  let onStuck = (): void => {};
  const stuck = new Promise<number>((resolve) => {
    onStuck = () => resolve(1);
  });
  const lease: Lease = {
    profileId,
    phase: "starting",
    ending: false,
    thread,
    launched: null,
    gone: Promise.resolve(),
    endedAs: "stopped",
    vacant: false,
    async terminate() {
      doomed = true;
      if (await thread.terminate()) return;
      log.error("a profile thread is stuck in a system call; it was abandoned", { profileId });
      onStuck();
    },
    async kill() {
      if (pid !== null) processes.killGroup(pid);
      await lease.terminate();
    },
  };
  thread.listen((body) => {
    const notice = checkProfileNotice(body);
    if (notice.notice === "browser-spawned") {
      pid = notice.pid;
      return;
    }
    if (notice.notice === "browser-slow") return onSlow();
    if (notice.notice === "browser-ending") {
      lease.ending = true;
      return onEnding(lease);
    }
    if (notice.notice === "vacant") {
      if (doomed) return;
      lease.vacant = true;
      return onVacant();
    }
    if (notice.status === "crashed")
      log.warn("a browser ended unexpectedly", { profileId, reason: notice.reason });
    lease.endedAs = notice.status;
    leaving = setTimeout(() => void lease.terminate(), leaveMs);
    leaving.unref();
  });
  lease.gone = Promise.race([vacated, thread.exited, stuck]).then(async (code) => {
    if (leaving !== null) clearTimeout(leaving);
    lease.ending = true;
    // An unexpected exit of the thread closes the pipe, which ends the browser (actors/README.md, "Lifeline").
    if (code !== 0 && lease.phase === "running") lease.endedAs = "crashed";
    if (pid !== null) await processGone(pid, log, processes);
    onGone(lease);
  });
  return lease;
}

async function processGone(pid: number, log: Log, { isAlive, killGroup }: Processes): Promise<void> {
  let forceAt = Date.now() + forceAfterMs;
  while (isAlive(pid)) {
    if (Date.now() > forceAt) {
      forceAt += forceAfterMs;
      log.error("a browser outlived its thread; killing its process group", { pid });
      killGroup(pid);
    }
    await new Promise<void>((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

export const systemProcesses: Processes = { isAlive: groupIsAlive, killGroup };

export function liveProfile(lease: Lease): LiveProfile {
  const { profileId, launched } = lease;
  if (launched === null) return { profileId, status: "starting", cdpUrl: null, headless: false };
  const { cdpUrl, headless, pid } = launched;
  return {
    profileId,
    status: "running",
    cdpUrl,
    pid,
    headless,
  };
}
