/** Log lines of scripts in the fleet as they come: the head asks for those that somebody reads, and workers send these, many at a time. */
import { limits } from "../../protocol/limits.ts";
import type { ScriptLogTail } from "../../protocol/run-task.ts";
import type { PartKey } from "../fleet/ledger.ts";
import type { LiveLogs } from "../fleet/live-logs.ts";
import { logPlace, type Seal } from "../fleet/sealed.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeferred, type Deferred } from "../kernel/deferred.ts";
import { createLook } from "./fleet-look.ts";
import { keyOf } from "./fleet-outcomes.ts";

/** As a script's log on one machine waits for lines. */
const patienceMs = 4_000;
/** Between two questions to PostgreSQL, and between two answers of a worker. */
const apartMs = 500;
const idleMs = 60_000;

export interface LogReader {
  /** Lines after the first `after`; null when none came in some seconds. Never rejects. */
  next(part: PartKey, after: number): Promise<ScriptLogTail | null>;
  close(): Promise<void>;
}

interface Wish extends PartKey {
  after: number;
  found: Deferred<ScriptLogTail | null>;
}

export interface LogParts {
  logs: LiveLogs;
  seal: Seal;
  clock: Clock;
}

/** On the head: one question for all readers. */
export function createLogReader({ logs, seal, clock }: LogParts): LogReader {
  const wishes = new Set<Wish>();
  const ask = async () => {
    if (wishes.size === 0) return;
    const found = await logs.read([...wishes]).catch(() => []); // PostgreSQL is away: they are asked again.
    const tails = new Map<string, ScriptLogTail>();
    for (const log of found) {
      const tail = openTail(seal, log);
      if (tail !== null) tails.set(keyOf(log), tail);
    }
    for (const wish of wishes) {
      const tail = tails.get(keyOf(wish));
      if (tail !== undefined && tail.count > wish.after)
        wish.found.resolve({ ...tail, lines: tail.lines.slice(-(tail.count - wish.after)) });
    }
  };
  const look = createLook(
    clock,
    idleMs,
    async () => {
      await ask();
      if (wishes.size > 0) look.now();
    },
    apartMs,
  );
  return {
    async next(part, after) {
      const wish: Wish = { ...part, after, found: createDeferred() };
      wishes.add(wish);
      const late = clock.timer(patienceMs, () => wish.found.resolve(null));
      look.now();
      try {
        return await wish.found.promise;
      } finally {
        late.cancel();
        wishes.delete(wish);
      }
    },
    async close() {
      for (const { found } of wishes) found.resolve(null);
      await look.close();
    },
  };
}

function openTail(seal: Seal, log: PartKey & { sealed: Uint8Array }): ScriptLogTail | null {
  try {
    return seal.open<ScriptLogTail>(log.sealed, logPlace(log));
  } catch {
    return null; // Of another key: the outcome will say so.
  }
}

export interface LogSender {
  /** The parts whose logs somebody reads now. */
  watch(parts: readonly PartKey[]): void;
  close(): Promise<void>;
}

interface LogSource {
  scriptLog(input: { runId: string; after: number }): Promise<ScriptLogTail | null>;
}

/** On a worker. `connect`: to the browser's thread. Nothing waits for it: lines that cannot be sent come with the outcome. */
export function createLogSender(
  { logs, seal, clock }: LogParts,
  connect: (profileId: string) => Promise<{ page: LogSource; disconnect(): void }>,
): LogSender {
  let wanted = new Set<string>();
  const followed = new Set<string>();
  const unsent = new Map<string, PartKey & { tail: ScriptLogTail }>();
  const send = async () => {
    const sending = [...unsent.values()];
    unsent.clear();
    if (sending.length === 0) return;
    const sealed = sending.map(({ runId, profileId, tail }) => {
      const part = { runId, profileId };
      return { ...part, count: tail.count, sealed: seal.seal(tail, logPlace(part)) };
    });
    await logs.write(sealed).catch(() => {
      for (const one of sending) if (!unsent.has(keyOf(one))) unsent.set(keyOf(one), one);
    });
  };
  const look = createLook(clock, idleMs, send, apartMs);
  const follow = async (part: PartKey): Promise<void> => {
    const key = keyOf(part);
    const { page, disconnect } = await connect(part.profileId);
    try {
      let tail: ScriptLogTail = { lines: [], count: 0 };
      while (wanted.has(key)) {
        const more = await page.scriptLog({ runId: part.runId, after: tail.count });
        if (more === null) continue;
        // All of the last lines each time, because they replace those before, which the head may not have taken yet.
        tail = {
          lines: [...tail.lines, ...more.lines].slice(-limits.scriptLogTailLinesMax),
          count: more.count,
        };
        unsent.set(key, { ...part, tail });
        look.now();
      }
    } finally {
      disconnect();
    }
  };
  return {
    watch(parts) {
      wanted = new Set(parts.map(keyOf));
      for (const part of parts) {
        const key = keyOf(part);
        if (followed.has(key)) continue;
        followed.add(key);
        follow(part)
          .catch(() => {}) // Its browser is not open yet, or not any more; a later sign of life begins again.
          .finally(() => followed.delete(key));
      }
    },
    async close() {
      wanted = new Set();
      await look.close();
    },
  };
}
