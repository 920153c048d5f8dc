/** Each due time of a schedule is removed together with its one run: none fires twice, none is lost. */
import type { Reader } from "../../storage/sqlite.ts";

interface Seen {
  nextRun: string | null;
  runs: number;
  lastRunId: string | null;
}

/** How early a schedule may fire (actors/library/schedules.ts). */
const earlyMs = 1_000;

export class DueTimes {
  #seen = new Map<string, Seen>();
  /** The due time of each run, by schedule and run. */
  readonly #fired = new Map<string, Map<string, string>>();
  /** Runs that users requested, possibly still to come, by schedule. */
  readonly #asked = new Map<string, number>();
  /** Schedules whose next run may also be changed by users, or by the scheduler after the clock was set back. */
  readonly #changing = new Map<string, number>();
  #allChange = false;

  runAsked(scheduleId: string): void {
    this.#asked.set(scheduleId, (this.#asked.get(scheduleId) ?? 0) + 1);
  }

  turned(scheduleId: string): void {
    this.#changing.set(scheduleId, (this.#changing.get(scheduleId) ?? 0) + 1);
  }

  /** By more than an hour: next runs are computed again and may repeat. */
  clockSetBack(): void {
    this.#allChange = true;
  }

  /** A library was opened: counting continues from its tables. */
  reopened(sql: Reader): void {
    this.#seen = this.#read(sql);
    for (const [id, fired] of this.#fired) {
      const known = new Set(
        sql.all("SELECT id FROM runs WHERE schedule_id = ?", [id]).map((row) => String(row.id)),
      );
      for (const runId of [...fired.keys()]) if (!known.has(runId)) fired.delete(runId);
    }
  }

  wrong(sql: Reader, wallMs: number): string | null {
    const now = this.#read(sql);
    const before = this.#seen;
    this.#seen = now;
    for (const [id, seen] of now) {
      const was = before.get(id);
      const found = was === undefined ? null : this.#compare(id, was, seen, wallMs);
      if (found !== null) return `schedule ${id}: ${found}`;
    }
    return null;
  }

  /** A schedule that should have fired `graceMs` ago, or null. */
  overdue(sql: Reader, wallMs: number, graceMs: number): string | null {
    const latest = new Date(wallMs - graceMs).toISOString();
    const row = sql.first("SELECT id, next_run FROM schedules WHERE next_run < ?", [latest]);
    return row === undefined ? null : `schedule ${row.id} was due at ${row.next_run} and has not fired`;
  }

  #compare(id: string, was: Seen, is: Seen, wallMs: number): string | null {
    const runs = is.runs - was.runs;
    const isTaken = was.nextRun !== is.nextRun;
    if (runs > 1) return `${runs} runs at once`;
    if (runs === 1 && !isTaken) {
      const asked = this.#asked.get(id) ?? 0;
      this.#asked.set(id, asked - 1);
      return asked > 0 ? null : "a run without a request and without a due time";
    }
    if (runs === 1) return this.#fire(id, was.nextRun ?? "", is.lastRunId ?? "", wallMs);
    const mayChange = this.#allChange || (this.#changing.get(id) ?? 0) > 0;
    if (isTaken && was.nextRun !== null && Date.parse(was.nextRun) <= wallMs && !mayChange)
      return `its due time ${was.nextRun} was lost`;
    return null;
  }

  #fire(id: string, due: string, runId: string, wallMs: number): string | null {
    const fired = this.#fired.get(id) ?? new Map<string, string>();
    this.#fired.set(id, fired);
    const isAgain = [...fired.values()].includes(due);
    fired.set(runId, due);
    if (isAgain && !this.#allChange && (this.#changing.get(id) ?? 0) === 0)
      return `due time ${due} fired twice`;
    if (Date.parse(due) > wallMs + earlyMs && !this.#allChange)
      return `fired at ${new Date(wallMs).toISOString()}, before ${due}`;
    return null;
  }

  #read(sql: Reader): Map<string, Seen> {
    const rows = sql.all(
      `SELECT id, next_run, last_run_id, (SELECT count(*) FROM runs WHERE schedule_id = schedules.id) AS runs FROM schedules`,
    );
    return new Map(
      rows.map((row) => [
        String(row.id),
        {
          nextRun: row.next_run === null ? null : String(row.next_run),
          runs: Number(row.runs),
          lastRunId: row.last_run_id === null ? null : String(row.last_run_id),
        },
      ]),
    );
  }
}
