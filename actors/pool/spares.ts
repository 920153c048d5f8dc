/** Spare threads: started profile threads without a profile, because a launch must not pay for a thread's start. */

import type { ProfileConfig, ProfileControlApi } from "../../protocol/messages/profile.ts";
import type { Log } from "../kernel/log.ts";
import { type ActorThread, startThread } from "../kernel/thread.ts";

export interface ProfileThread extends ActorThread<ProfileControlApi> {
  /** Who hears this thread's notices; set by whoever takes it. */
  listen(hear: (body: object) => void): void;
}

export interface Spares {
  /** A thread that is started, or about to be. */
  take(): ProfileThread;
  /** Settles when every thread taken by now has started, or has failed to. */
  takenStarted(): Promise<void>;
  /** Starts threads until the wanted number stands ready. */
  refill(): void;
  close(): Promise<void>;
}

/** Calls that a browser answers late: a launch has its own end, a stop is as long as its ladder. */
const deadlines = { launch: 60_000, stop: 30_000 };

/** `wanted` spares are kept; they count as nobody's until taken. */
export function createSpares(config: ProfileConfig, wanted: number, log: Log): Spares {
  const ready: ProfileThread[] = [];
  /** Threads that were taken before they had started. */
  const starting = new Set<ProfileThread>();
  let closed = false;

  const start = (): ProfileThread => {
    let hear: (body: object) => void = () => {};
    const thread = startThread<ProfileControlApi>("profile", config, {
      log,
      deadlines,
      onNotice: (body) => hear(body),
    });
    const spare = {
      ...thread,
      listen: (next: (body: object) => void) => {
        hear = next;
      },
    };
    void thread.exited.then(() => {
      const at = ready.indexOf(spare);
      if (at >= 0) ready.splice(at, 1);
    });
    return spare;
  };

  return {
    take() {
      const spare = ready.shift();
      if (spare !== undefined) return spare;
      const thread = start();
      starting.add(thread);
      const settled = () => void starting.delete(thread);
      thread.ready.then(settled, settled);
      return thread;
    },
    async takenStarted() {
      await Promise.allSettled([...starting].map((thread) => thread.ready));
    },
    refill() {
      while (!closed && ready.length < wanted) ready.push(start());
    },
    async close() {
      closed = true;
      await Promise.all(ready.splice(0).map((thread) => thread.terminate()));
    },
  };
}
