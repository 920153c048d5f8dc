/** Table of runs. */
import type { Run } from "../../protocol/records.ts";
import type { RunStatus } from "../../protocol/scalars.ts";
import { blobOrNull, integer, json, text, textOrNull, word } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredRun {
  run: Run;
  scriptSha256: string | null;
  headless: boolean;
  concurrency: number;
  staggerMs: number;
  placement: "local" | "fleet";
  /** Sealed JSON of the run's variables; null after the run has ended. */
  variablesSealed: Uint8Array | null;
}

/** What a part needs of its run. Without the list of profiles: each of a thousand parts would read all thousand ids. */
export interface RunTerms extends Pick<StoredRun, "scriptSha256" | "variablesSealed"> {
  run: Pick<Run, "id" | "scriptId">;
}

const recordColumns =
  "id, status, source, script_id, schedule_id, profile_ids, profiles_total, profiles_done, profiles_failed, started_at, completed_at, error";
const drivingColumns = "script_sha256, headless, concurrency, stagger_ms, placement, variables_sealed";
const sources = ["schedule", "app", "agent"] as const;
const placements = ["local", "fleet"] as const;
const statuses = ["running", "completed", "partial", "failed", "skipped"] as const;

function runOf(row: Row): Run {
  return {
    id: text(row, "id"),
    status: word(row, "status", statuses),
    source: row.source === null ? null : word(row, "source", sources),
    scriptId: textOrNull(row, "script_id"),
    scheduleId: textOrNull(row, "schedule_id"),
    profileIds: json<string[]>(row, "profile_ids"),
    profilesTotal: integer(row, "profiles_total"),
    profilesDone: integer(row, "profiles_done"),
    profilesFailed: integer(row, "profiles_failed"),
    startedAt: text(row, "started_at"),
    completedAt: textOrNull(row, "completed_at"),
    error: textOrNull(row, "error"),
  };
}

function storedOf(row: Row): StoredRun {
  return {
    run: runOf(row),
    scriptSha256: textOrNull(row, "script_sha256"),
    headless: integer(row, "headless") === 1,
    concurrency: integer(row, "concurrency"),
    staggerMs: integer(row, "stagger_ms"),
    placement: word(row, "placement", placements),
    variablesSealed: blobOrNull(row, "variables_sealed"),
  };
}

export function readRun(sql: Reader, id: string): StoredRun | null {
  const row = sql.first(`SELECT ${recordColumns}, ${drivingColumns} FROM runs WHERE id = ?`, [id]);
  return row === undefined ? null : storedOf(row);
}

export function readRunTerms(sql: Reader, id: string): RunTerms | null {
  const row = sql.first("SELECT id, script_id, script_sha256, variables_sealed FROM runs WHERE id = ?", [id]);
  if (row === undefined) return null;
  return {
    run: { id: text(row, "id"), scriptId: textOrNull(row, "script_id") },
    scriptSha256: textOrNull(row, "script_sha256"),
    variablesSealed: blobOrNull(row, "variables_sealed"),
  };
}

export function listRuns(sql: Reader, scheduleId: string | null, limit: number): Run[] {
  const rows =
    scheduleId === null
      ? sql.all(`SELECT ${recordColumns} FROM runs ORDER BY position DESC LIMIT ?`, [limit])
      : sql.all(`SELECT ${recordColumns} FROM runs WHERE schedule_id = ? ORDER BY position DESC LIMIT ?`, [
          scheduleId,
          limit,
        ]);
  return rows.map(runOf);
}

export function runsGoingOn(sql: Reader): StoredRun[] {
  return sql
    .all(`SELECT ${recordColumns}, ${drivingColumns} FROM runs WHERE status = 'running' ORDER BY position`)
    .map(storedOf);
}

export function runGoingOn(sql: Reader, scheduleId: string): string | null {
  const row = sql.first("SELECT id FROM runs WHERE schedule_id = ? AND status = 'running' LIMIT 1", [
    scheduleId,
  ]);
  return row === undefined ? null : text(row, "id");
}

export function missingRuns(sql: Reader, ids: string[]): string[] {
  return sql
    .all("SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM runs)", [JSON.stringify(ids)])
    .map((row) => text(row, "value"));
}

export function insertRun(sql: Writer, stored: StoredRun): void {
  const { run } = stored;
  sql.run(
    `INSERT INTO runs (${recordColumns}, ${drivingColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      run.id,
      run.status,
      run.source,
      run.scriptId,
      run.scheduleId,
      JSON.stringify(run.profileIds),
      run.profilesTotal,
      run.profilesDone,
      run.profilesFailed,
      run.startedAt,
      run.completedAt,
      run.error,
      stored.scriptSha256,
      stored.headless ? 1 : 0,
      stored.concurrency,
      stored.staggerMs,
      stored.placement,
      stored.variablesSealed,
    ],
  );
}

export function countParts(sql: Writer, id: string, done: number, failed: number): void {
  sql.run(
    "UPDATE runs SET profiles_done = profiles_done + ?, profiles_failed = profiles_failed + ? WHERE id = ?",
    [done, failed, id],
  );
}

/** Notes the reason for the end of a run that is still active. */
export function noteError(sql: Writer, id: string, error: string): void {
  sql.run("UPDATE runs SET error = ? WHERE id = ?", [error, id]);
}

/** The position of the newest run that is not among the newest `kept`; null if there is none. */
export function olderThanNewest(sql: Reader, kept: number): number | null {
  const row = sql.first("SELECT position FROM runs ORDER BY position DESC LIMIT 1 OFFSET ?", [kept]);
  return row === undefined ? null : integer(row, "position");
}

/** Removes runs up to `position` that ended before `before`. Returns their number. */
export function pruneRuns(sql: Writer, position: number, before: string): number {
  return sql.run("DELETE FROM runs WHERE position <= ? AND status <> 'running' AND completed_at < ?", [
    position,
    before,
  ]);
}

/** With its parts and its Idempotency-Key. */
export function removeRun(sql: Writer, id: string): void {
  sql.run("DELETE FROM runs WHERE id = ?", [id]);
}

/** Its variables stay sealed for a retry, unless every profile has completed. */
export function closeRun(
  sql: Writer,
  id: string,
  end: { status: RunStatus; at: string; error: string | null },
): void {
  sql.run(
    `UPDATE runs SET status = ?1, completed_at = ?2, error = ?3,
     variables_sealed = CASE ?1 WHEN 'completed' THEN NULL ELSE variables_sealed END WHERE id = ?4`,
    [end.status, end.at, end.error, id],
  );
}

export function countRuns(sql: Reader): { status: string; count: number }[] {
  return sql
    .all("SELECT status, count(*) AS count FROM runs GROUP BY status")
    .map((row) => ({ status: text(row, "status"), count: integer(row, "count") }));
}
