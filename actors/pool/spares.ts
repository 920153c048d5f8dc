/**
 * Spare threads: profile threads started ahead, because a launch must not wait for a thread. A stopped profile's thread is reused for a
 * while, because its code is already compiled.
 */

import {
  type ProfileConfig,
  type ProfileControlApi,
  profileControlDeadlines,
} from "../../protocol/messages/profile.ts";
import { inBackground } from "../kernel/background.ts";
import type { Log } from "../kernel/log.ts";
import { type ActorThread, startThread } from "../kernel/thread.ts";

export interface ProfileThread extends ActorThread<ProfileControlApi> {
  listen(hear: (body: object) => void): void;
}

export interface Spares {
  take(): ProfileThread;
  takenStarted(): Promise<void>;
  idle(): ProfileThread | null;
  giveBack(thread: ProfileThread): void;
  refill(): void;
  close(): Promise<void>;
}

const askEveryMs = 15_000;

/** Settles like `work`, but rejects if the thread stops answering, for example because a system call blocks it. */
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

/** How long a used thread waits for another profile. Runs start profiles every few seconds. */
const keptMs = 5_000;
/** Profiles per thread, one after another: ending the thread frees its heap. */
const profilesMax = 64;

/** Keeps `wanted` spares. A spare belongs to no profile until it is taken. */
export function createSpares(config: ProfileConfig, wanted: number, log: Log): Spares {
  const ready: ProfileThread[] = [];
  const starting = new Set<ProfileThread>();
  const profiles = new WeakMap<ProfileThread, number>();
  let closed = false;
  let keeping: NodeJS.Timeout | null = null;

  const refill = () => {
    while (!closed && ready.length < wanted) ready.push(start());
  };
  const endUsed = () => {
    const used = ready.filter((thread) => profiles.has(thread));
    for (const thread of used) ready.splice(ready.indexOf(thread), 1);
    refill();
    for (const thread of used) inBackground(log, "the end of a thread", thread.terminate());
  };

  const start = (): ProfileThread => {
    let hear: (body: object) => void = () => {};
    const thread = startThread<ProfileControlApi>("profile", config, {
      log,
      deadlines: profileControlDeadlines,
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

  return {
    take() {
      const spare = ready.findLast((thread) => profiles.has(thread)) ?? ready[0]; // The last used one has its code compiled.
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
    giveBack(thread) {
      const had = (profiles.get(thread) ?? 0) + 1;
      if (closed || had >= profilesMax) return inBackground(log, "the end of a thread", thread.terminate());
      profiles.set(thread, had);
      ready.push(thread);
      if (keeping !== null) clearTimeout(keeping);
      keeping = setTimeout(endUsed, keptMs);
      keeping.unref();
    },
    refill,
    async close() {
      closed = true;
      if (keeping !== null) clearTimeout(keeping);
      await Promise.all(ready.splice(0).map((thread) => thread.terminate()));
    },
  };
}
