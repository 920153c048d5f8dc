/** A lease: one profile's hold on a slot and a thread, from the accepted launch to the end of its process. */
import { checkProfileNotice } from "../../protocol/generated/messages.ts";
import type { LaunchedProfile, LiveProfile } from "../../protocol/profile-spec.ts";
import type { Log } from "../kernel/log.ts";
import { groupIsAlive, killGroup } from "../kernel/process-group.ts";
import type { ProfileThread } from "./spares.ts";

export type LeasePhase = "starting" | "running" | "stopping";

export interface Lease {
  readonly profileId: string;
  phase: LeasePhase;
  /** Its browser is on its way out, asked or not: a launch waits for `gone`. */
  ending: boolean;
  thread: ProfileThread;
  launched: LaunchedProfile | null;
  /** Settles when the browser is gone, the thread is gone or vacant, and the slot is free. */
  gone: Promise<void>;
  /** The thread has nothing of this profile any more, and may be given another. */
  vacant: boolean;
  /** Ends the thread at once, and the browser with it: that dies of the closed pipe (actors/README.md, "Lifeline"). */
  terminate(): Promise<void>;
  /** As terminate, without leaving the browser the moment that it takes to die. */
  kill(): Promise<void>;
  /** What the profile's status is once it is gone. */
  endedAs: "stopped" | "crashed";
}

/** The system's processes, as far as the end of a browser is watched. */
export interface Processes {
  /** Whether somebody is left in the group that this process leads. */
  isAlive(pid: number): boolean;
  /** Ends that group, at once. */
  killGroup(pid: number): void;
}

/** How often a process that nobody can be told of is looked at, and when its end is forced (actors/README.md, "Lifeline"). */
const lookEveryMs = 20;
const forceAfterMs = 2_000;
/** A thread that has no browser any more, and has neither ended nor said that it is vacant by then, is ended. */
const leaveMs = 10_000;

interface LeaseParts {
  processes: Processes;
  /** Called when its browser starts slowly, because others have the cores. */
  onSlow(): void;
  /** Called, mostly, before the browser's process is gone. */
  onEnding(lease: Lease): void;
  /** Called once, when the browser's process is gone. */
  onGone(lease: Lease): void;
}

/** Binds a thread to a profile. */
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
      log.error("a profile thread is stuck in a call of the system; it is left behind", { profileId });
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
      if (doomed) return; // Its exit is on the way.
      lease.vacant = true;
      return onVacant();
    }
    if (notice.status === "crashed")
      log.warn("a browser ended unasked", { profileId, reason: notice.reason });
    lease.endedAs = notice.status;
    leaving = setTimeout(() => void lease.terminate(), leaveMs);
    leaving.unref();
  });
  lease.gone = Promise.race([vacated, thread.exited, stuck]).then(async (code) => {
    if (leaving !== null) clearTimeout(leaving);
    lease.ending = true;
    // A thread that ends without a word has lost its browser, and the closed pipe ends that (actors/README.md, "Lifeline").
    if (code !== 0 && lease.phase === "running") lease.endedAs = "crashed";
    if (pid !== null) await processGone(pid, log, processes);
    onGone(lease);
  });
  return lease;
}

/** Waits until nobody of a browser's process group is left; forces it when it takes too long. */
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

/** What the profile list shows of a lease. */
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
