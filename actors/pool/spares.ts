/**
 * Spare threads: started profile threads without a profile, because a launch must not pay for a thread's start. One whose profile
 * was stopped waits here for the next one for a while: it costs that launch less than a new thread, and all that follows too.
 */

import { limits } from "../../protocol/limits.ts";
import type { ProfileConfig, ProfileControlApi } from "../../protocol/messages/profile.ts";
import { inBackground } from "../kernel/background.ts";
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
  /** A thread that stands ready and is left where it is; null when there is none. */
  idle(): ProfileThread | null;
  /** Has the next launch's process forked in a thread that stands ready. */
  forkAhead(): Promise<void>;
  /** Takes a thread that is vacant. */
  giveBack(thread: ProfileThread): void;
  /** Starts threads until the wanted number stands ready. */
  refill(): void;
  close(): Promise<void>;
}

/** Calls that a browser answers late: a launch has its own end, a stop is as long as its ladder on a busy machine. */
const deadlines = { launch: limits.launchLongestMs + 60_000, stop: 35_000 };

/** A thread whose launch takes its time is asked for a sign of life this often. */
const askEveryMs = 15_000;

/** Settles as `work` does, or rejects when the thread answers nothing any more, stuck in a call of the system. */
export function whileAnswering<T>(thread: ProfileThread, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let over = false;
    const ask = () => {
      if (over) return;
      timer = setTimeout(() => {
        thread.api.touch({}).then(ask, reject);
      }, askEveryMs);
    };
    let timer: NodeJS.Timeout | undefined;
    ask();
    const end = () => {
      over = true;
      clearTimeout(timer);
    };
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

/** How long used threads wait for another profile. Runs with many profiles start one every few seconds. */
const keptMs = 5_000;
/** Profiles of one thread, one after the other: what its heap has gathered ends with it. */
const profilesMax = 64;

/** `wanted` spares are kept; they count as nobody's until taken. */
export function createSpares(config: ProfileConfig, wanted: number, log: Log): Spares {
  const ready: ProfileThread[] = [];
  /** Threads that were taken before they had started. */
  const starting = new Set<ProfileThread>();
  /** Those that have forked a process ahead. */
  const forked = new WeakSet<ProfileThread>();
  /** How many profiles a thread has had. */
  const profiles = new WeakMap<ProfileThread, number>();
  let closed = false;
  let keeping: NodeJS.Timeout | null = null;

  const end = async (thread: ProfileThread): Promise<void> => {
    // Its process ends by itself with the thread, but only a thread that is there collects it.
    if (forked.has(thread)) await thread.api.stop({}).catch(() => {});
    await thread.terminate();
  };
  const refill = () => {
    while (!closed && ready.length < wanted) ready.push(start());
  };
  const forkAhead = async () => {
    const spare = ready[0];
    if (closed || spare === undefined || forked.has(spare)) return;
    forked.add(spare);
    await spare.api.forkAhead({});
  };
  const endUsed = () => {
    const used = ready.filter((thread) => profiles.has(thread));
    for (const thread of used) ready.splice(ready.indexOf(thread), 1);
    refill();
    // What was ready for the next launch ends with its thread.
    if (used.some((thread) => forked.has(thread))) forkAhead().catch(() => {});
    for (const thread of used) inBackground(log, "the end of a thread", end(thread));
  };

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
    const forgotten = thread.exited.then(() => {
      const at = ready.indexOf(spare);
      if (at >= 0) ready.splice(at, 1);
    });
    inBackground(log, "the end of a thread", forgotten);
    return spare;
  };

  /**
   * The one whose process is forked already; else the one that had a profile last: its code is compiled. In a run, whose launches leave
   * no quiet time to fork ahead, the work so stays with few threads.
   */
  const best = () => {
    const [first] = ready;
    return first !== undefined && forked.has(first)
      ? first
      : (ready.findLast((thread) => profiles.has(thread)) ?? first);
  };

  return {
    take() {
      const spare = best();
      if (spare !== undefined) {
        ready.splice(ready.indexOf(spare), 1);
        return spare;
      }
      const thread = start();
      starting.add(thread);
      const settled = () => void starting.delete(thread);
      thread.ready.then(settled, settled);
      return thread;
    },
    async takenStarted() {
      await Promise.allSettled([...starting].map((thread) => thread.ready));
    },
    idle: () => ready[0] ?? null,
    forkAhead,
    giveBack(thread) {
      const had = (profiles.get(thread) ?? 0) + 1;
      if (closed || had >= profilesMax) return inBackground(log, "the end of a thread", thread.terminate());
      profiles.set(thread, had);
      forked.delete(thread);
      ready.push(thread); // Behind one that may have forked ahead.
      if (keeping !== null) clearTimeout(keeping);
      keeping = setTimeout(endUsed, keptMs);
      keeping.unref();
    },
    refill,
    async close() {
      closed = true;
      if (keeping !== null) clearTimeout(keeping);
      await Promise.all(ready.splice(0).map(end));
    },
  };
}
