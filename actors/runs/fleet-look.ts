/** Small parts that head and workers of a fleet share. */
import { faultRecord } from "../../protocol/faults.ts";
import type { Archives } from "../fleet/archives.ts";
import type { WorkerLedger } from "../fleet/ledger.ts";
import type { Watch } from "../fleet/rules.ts";
import type { Clock, Timer } from "../kernel/clock.ts";
import { isAnswer } from "../kernel/insist.ts";
import type { Log } from "../kernel/log.ts";

/** At most `most` pieces of work at a time. */
export function createLimit(most: number) {
  let busy = 0;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (busy >= most) await new Promise<void>((resolve) => queue.push(resolve));
    else busy += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) busy -= 1;
      else next();
    }
  };
}

/** Calls `act` every `ms` and on demand, one call at a time and `leastMs` apart; a demand during a call makes one more. Begins with the first demand. */
export function createLook(clock: Clock, ms: number, act: () => Promise<void>, leastMs = 0) {
  let running: Promise<void> | null = null;
  let again = false;
  let closed = false;
  let timer: Timer | null = null;
  const begin = (): void => {
    if (closed) return;
    again = false;
    running = act().finally(() => {
      running = null;
      if (!closed) timer = clock.timer(again ? leastMs : ms, begin);
    });
  };
  return {
    now(): void {
      if (closed || again) return;
      again = true;
      if (running !== null) return;
      timer?.cancel();
      timer = clock.timer(leastMs, begin);
    },
    async close(): Promise<void> {
      closed = true;
      timer?.cancel();
      await running;
    },
  };
}

export interface Trouble {
  /** What does not work for now; null: nothing. */
  readonly words: string | null;
  note(what: string, error: unknown): void;
  /** Something works; the trouble is over when nothing has noted it again for a while. */
  eased(): void;
}

const troubleMs = 15_000;
const againMs = 1_000;

/** Logs a trouble when it begins and changes, not at each try. */
export function createTrouble(log: Log): Trouble {
  let last: { message: string; at: number } | null = null;
  return {
    get words() {
      return last?.message ?? null;
    },
    note(what, error) {
      const { message } = faultRecord(error);
      if (message !== last?.message) log.warn(`${what}: ${message}`);
      last = { message, at: performance.now() };
    },
    eased() {
      if (last === null || performance.now() - last.at < troubleMs) return;
      log.info("the fleet goes on", { after: last.message });
      last = null;
    },
  };
}

/** Repeats until it succeeds or is refused. `woken` cuts a pause short. */
export async function repeated<Value>(
  { trouble, clock }: { trouble: Trouble; clock: Clock },
  what: string,
  act: () => Promise<Value>,
  woken: Promise<void> = new Promise(() => {}),
): Promise<Value> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (isAnswer(error)) throw error;
      trouble.note(what, error);
      await Promise.race([new Promise<void>((resolve) => clock.timer(againMs, resolve)), woken]);
    }
  }
}

/** Gives up the workers that are silent for too long. `own`: a worker's own session, which it does not judge. */
export async function expireSilent(
  ledger: WorkerLedger,
  watch: Watch,
  now: number,
  log: Log,
  own: string | null = null,
): Promise<void> {
  for (const { session, beat } of watch.look(await ledger.sessions(), now))
    if (session !== own && (await ledger.expire(session, beat)))
      log.warn("a worker was silent for too long; others may take its profiles", { session });
}

/** Never rejects: an archive that stays does no harm. */
export async function removeOld(archives: Pick<Archives, "remove">, log: Log, key: string): Promise<void> {
  await archives
    .remove(key)
    .catch((error: unknown) => log.warn("an old archive stays in the store", { key, error }));
}

/** 0 for none. */
export function majorOf(version: string | null): number {
  return Number.parseInt(version ?? "0", 10) || 0;
}
