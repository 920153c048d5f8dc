/** One profile's use of a thread: from the launch call until browser and thread no longer belong to it. */
import { checkProfileNotice } from "../../protocol/generated/messages/profile.ts";
import type { HandoffChange } from "../../protocol/handoff.ts";
import type { Downloaded } from "../../protocol/messages/profile.ts";
import { inBackground } from "../kernel/background.ts";
import { createDeferred } from "../kernel/deferred.ts";
import type { Log } from "../kernel/log.ts";
import { groupIsAlive, killGroup } from "../kernel/process-group.ts";
import type { ProfileThread } from "./spares.ts";

/** How a use ended. */
export interface UseEnd {
  /** As the thread reported it; null without a report. */
  reported: "stopped" | "crashed" | null;
  /** Of the thread; 0 when it is vacant. */
  exitCode: number;
  /** The thread can be reused. */
  vacant: boolean;
}

export interface ThreadUse {
  readonly thread: ProfileThread;
  /** Settles when the browser has ended, and the thread has ended or is vacant. Never rejects. */
  readonly gone: Promise<UseEnd>;
  /** Ends the thread. Its browser ends because the pipe closes (actors/README.md, "Lifeline"). */
  terminate(): Promise<void>;
  /** Like terminate, but kills the browser at once. */
  kill(): Promise<void>;
}

export interface Processes {
  isAlive(pid: number): boolean;
  killGroup(pid: number): void;
}

export const systemProcesses: Processes = { isAlive: groupIsAlive, killGroup };

/** A browser's process group reports no end, so it is polled for, and killed after a while (actors/README.md, "Lifeline"). */
const lookEveryMs = 20;
const forceAfterMs = 2_000;
/** A thread without a browser is terminated if it is neither vacant nor ended after this time. */
const leaveMs = 10_000;

interface UseParts {
  profileId: string;
  log: Log;
  processes: Processes;
  /** Called when the browser starts slowly because other processes use the cores. */
  onSlow(): void;
  /** Usually called before the browser's process has ended. */
  onEnding(): void;
  onHandoff(change: HandoffChange): void;
  onDownloaded(download: Downloaded): void;
}

export function useThread(thread: ProfileThread, parts: UseParts): ThreadUse {
  const { profileId, log, processes } = parts;
  const left = createDeferred<{ exitCode: number; vacant: boolean }>();
  let pid: number | null = null;
  let reported: UseEnd["reported"] = null;
  let doomed = false;
  let leaving: NodeJS.Timeout | undefined;

  const terminate = async () => {
    doomed = true;
    if (await thread.terminate()) return;
    log.error("a profile thread is stuck in a system call; it was abandoned", { profileId });
    left.resolve({ exitCode: 1, vacant: false });
  };
  thread.listen((body) => {
    const notice = checkProfileNotice(body);
    switch (notice.notice) {
      case "browser-spawned":
        pid = notice.pid;
        return;
      case "browser-slow":
        return parts.onSlow();
      case "browser-ending":
        return parts.onEnding();
      case "handoff":
        return parts.onHandoff(notice.change);
      case "downloaded":
        return parts.onDownloaded(notice);
      case "vacant":
        if (!doomed) left.resolve({ exitCode: 0, vacant: true });
        return;
      case "browser-ended":
        if (notice.status === "crashed")
          log.warn("a browser ended unexpectedly", { profileId, reason: notice.reason });
        reported = notice.status;
        leaving = setTimeout(() => void terminate(), leaveMs).unref();
    }
  });
  const exited = thread.exited.then((exitCode) => left.resolve({ exitCode, vacant: false }));
  inBackground(log, "the end of a thread", exited);
  const gone = left.promise.then(async (end): Promise<UseEnd> => {
    clearTimeout(leaving);
    if (pid !== null) await processGone(pid, log, processes);
    return { reported, ...end };
  });
  return {
    thread,
    gone,
    terminate,
    async kill() {
      if (pid !== null) processes.killGroup(pid);
      await terminate();
    },
  };
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
