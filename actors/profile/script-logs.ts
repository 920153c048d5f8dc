/** The logs of the scripts that run on this profile, read while they are written: a line waits for nobody, readers wait for lines. */
import type { ScriptLogTail } from "../../protocol/messages/profile.ts";
import type { Clock } from "../kernel/clock.ts";
import { createLedger, type Ledger } from "../script/ledger.ts";

export interface ScriptLogs {
  /** The ledger of a run that begins. `end` lets its readers go; its lines are then the outcome's. */
  begin(runId: string): { ledger: Ledger; end(): void };
  /**
   * What the run's script has logged since its first `after` lines, as far as it is still kept. Answers once there is
   * something, also before the script has begun; null when there was nothing in some seconds, or nobody logs any more.
   */
  next(runId: string, after: number): Promise<ScriptLogTail | null>;
  close(): void;
}

/** Lines that come close together are told as one. */
const gatherMs = 150;
/** After this the asker is answered, and asks again if it still cares. */
const patienceMs = 4_000;

export function createScriptLogs(clock: Clock): ScriptLogs {
  const written = new Map<string, Ledger>();
  /** Told of every line, beginning and end; empty while nobody reads. */
  const waiting = new Set<() => void>();
  let closed = false;
  const moved = () => {
    for (const look of waiting) look();
  };
  const pause = (ms: number, enough: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!enough()) return;
        timer.cancel();
        waiting.delete(look);
        resolve();
      };
      const timer = clock.timer(ms, () => {
        waiting.delete(look);
        resolve();
      });
      waiting.add(look);
      look();
    });
  return {
    begin(runId) {
      const ledger = createLedger(moved);
      written.set(runId, ledger);
      moved();
      return {
        ledger,
        end() {
          written.delete(runId);
          moved();
        },
      };
    },
    async next(runId, after) {
      let ledger = written.get(runId);
      const isOver = () => closed || (ledger !== undefined && written.get(runId) !== ledger);
      await pause(patienceMs, () => {
        ledger ??= written.get(runId);
        return isOver() || (ledger?.count() ?? 0) > after;
      });
      if (ledger === undefined || ledger.count() <= after) return null;
      await pause(gatherMs, isOver);
      const lines = ledger.tail();
      return { lines: lines.slice(-(ledger.count() - after)), count: ledger.count() };
    },
    close() {
      closed = true;
      moved();
    },
  };
}
