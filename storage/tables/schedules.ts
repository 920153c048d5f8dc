/** Table of schedules. A schedule is enabled if it has a next run. */
import type { Schedule, ScheduleTiming } from "../../protocol/schedules.ts";
import { integer, json, text, textOrNull } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredSchedule {
  id: string;
  name: string;
  scriptId: string;
  profileIds: string[];
  timing: ScheduleTiming;
  timezone: string;
  nextRun: string | null;
  /** 0 means the browser pool's maximum. */
  concurrency: number;
  staggerMs: number;
  lastRunId: string | null;
  createdAt: string;
}

const columns =
  "id, name, script_id, profile_ids, timing, timezone, next_run, concurrency, stagger_ms, last_run_id, created_at";

/**
 * The Schedule record as JSON, built in SQL because reading ten thousand rows by column is much slower. The last run is null if it was
 * pruned.
 */
const record = `rtrim(json_object(
  'id', schedules.id, 'name', schedules.name, 'scriptId', schedules.script_id,
  'profileIds', json(schedules.profile_ids), 'enabled', json(iif(next_run IS NULL, 'false', 'true')),
  'concurrency', nullif(schedules.concurrency, 0), 'staggerMs', schedules.stagger_ms, 'timezone', timezone,
  'nextRun', next_run, 'lastRunId', runs.id, 'lastRunStatus', runs.status, 'lastRunAt', runs.started_at,
  'createdAt', created_at), '}') || ',' || substr(timing_shown, 2)`;
const withLastRun = "schedules LEFT JOIN runs ON runs.id = schedules.last_run_id";

function scheduleOf(row: Row): StoredSchedule {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    scriptId: text(row, "script_id"),
    profileIds: json<string[]>(row, "profile_ids"),
    timing: json<ScheduleTiming>(row, "timing"),
    timezone: text(row, "timezone"),
    nextRun: textOrNull(row, "next_run"),
    concurrency: integer(row, "concurrency"),
    staggerMs: integer(row, "stagger_ms"),
    lastRunId: textOrNull(row, "last_run_id"),
    createdAt: text(row, "created_at"),
  };
}

export function schedulesJson(sql: Reader): string {
  const row = sql.first(
    `SELECT group_concat(${record}, ',' ORDER BY schedules.position) AS records FROM ${withLastRun}`,
  );
  return row === undefined ? "[]" : `[${textOrNull(row, "records") ?? ""}]`;
}

export function scheduleRecord(sql: Reader, id: string): Schedule | null {
  const row = sql.first(`SELECT ${record} AS record FROM ${withLastRun} WHERE schedules.id = ?`, [id]);
  return row === undefined ? null : json<Schedule>(row, "record");
}

export function readSchedule(sql: Reader, id: string): StoredSchedule | null {
  const row = sql.first(`SELECT ${columns} FROM schedules WHERE id = ?`, [id]);
  return row === undefined ? null : scheduleOf(row);
}

export function countSchedules(sql: Reader): number {
  const row = sql.first("SELECT count(*) AS schedules FROM schedules");
  return row === undefined ? 0 : integer(row, "schedules");
}

export function upcomingSchedules(sql: Reader, limit: number): StoredSchedule[] {
  return sql
    .all(`SELECT ${columns} FROM schedules WHERE next_run IS NOT NULL ORDER BY next_run, position LIMIT ?`, [
      limit,
    ])
    .map(scheduleOf);
}

/** Enabled schedules in other zones (null: all), oldest first. */
export function schedulesNotIn(
  sql: Reader,
  timezone: string | null,
  offset: number,
  limit: number,
): StoredSchedule[] {
  return sql
    .all(
      `SELECT ${columns} FROM schedules WHERE next_run IS NOT NULL AND timezone IS NOT ? ORDER BY position LIMIT ? OFFSET ?`,
      [timezone, limit, offset],
    )
    .map(scheduleOf);
}

export function insertSchedule(sql: Writer, schedule: StoredSchedule, timingShown: Partial<Schedule>): void {
  sql.run(`INSERT INTO schedules (${columns}, timing_shown) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    schedule.id,
    schedule.name,
    schedule.scriptId,
    JSON.stringify(schedule.profileIds),
    JSON.stringify(schedule.timing),
    schedule.timezone,
    schedule.nextRun,
    schedule.concurrency,
    schedule.staggerMs,
    schedule.lastRunId,
    schedule.createdAt,
    JSON.stringify(timingShown),
  ]);
}

export function updateSchedule(sql: Writer, schedule: StoredSchedule, timingShown: Partial<Schedule>): void {
  sql.run(
    `UPDATE schedules SET name = ?, script_id = ?, profile_ids = ?, timing = ?, timing_shown = ?, timezone = ?,
     next_run = ?, concurrency = ?, stagger_ms = ? WHERE id = ?`,
    [
      schedule.name,
      schedule.scriptId,
      JSON.stringify(schedule.profileIds),
      JSON.stringify(schedule.timing),
      JSON.stringify(timingShown),
      schedule.timezone,
      schedule.nextRun,
      schedule.concurrency,
      schedule.staggerMs,
      schedule.id,
    ],
  );
}

/** Changes the next run only if it is still `from`. */
export function renewNextRun(
  sql: Writer,
  id: string,
  next: { from: string; nextRun: string; timezone: string },
): void {
  sql.run("UPDATE schedules SET next_run = ?, timezone = ? WHERE id = ? AND next_run = ?", [
    next.nextRun,
    next.timezone,
    id,
    next.from,
  ]);
}

/** Replaces the due time `at`. Returns false if the next run has changed. */
export function takeDueTime(sql: Writer, id: string, at: string, nextRun: string | null): boolean {
  return sql.run("UPDATE schedules SET next_run = ? WHERE id = ? AND next_run = ?", [nextRun, id, at]) > 0;
}

export function setLastRun(sql: Writer, id: string, runId: string): void {
  sql.run("UPDATE schedules SET last_run_id = ? WHERE id = ?", [runId, id]);
}

export function removeSchedule(sql: Writer, id: string): boolean {
  return sql.run("DELETE FROM schedules WHERE id = ?", [id]) > 0;
}
