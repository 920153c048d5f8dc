/** Lines of the scripts that run, for who follows them live; script/log-and-output.ts keeps each script's. */
import type { ScriptLogTail } from "../../protocol/run-task.ts";
import type { Clock } from "../kernel/clock.ts";
import { createLedger, type Ledger } from "../script/log-and-output.ts";

export interface ScriptLogs {
  /** The ledger of a new run. `end` wakes its readers. */
  begin(runId: string): { ledger: Ledger; end(): void };
  /** Waits for lines after the first `after`, even before the run begins; null when there are none in time, or the run has ended. */
  next(runId: string, after: number): Promise<ScriptLogTail | null>;
  close(): void;
}

const gatherMs = 150;
const patienceMs = 4_000;

export function createScriptLogs(clock: Clock): ScriptLogs {
  const written = new Map<string, Ledger>();
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
