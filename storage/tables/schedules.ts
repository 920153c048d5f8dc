/** The table of schedules. A schedule is on when it has a next run. */
import type { RunStatus } from "../../protocol/scalars.ts";
import type { ScheduleTiming } from "../../protocol/schedules.ts";
import { integer, json, text, textOrNull, word } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredSchedule {
  id: string;
  name: string;
  scriptId: string;
  profileIds: string[];
  timing: ScheduleTiming;
  timezone: string;
  nextRun: string | null;
  /** 0 means the browser pool's `max`. */
  concurrency: number;
  staggerMs: number;
  lastRunId: string | null;
  createdAt: string;
}

/** With what is known of its last run; null when that run is not kept any more. */
export interface ListedSchedule extends StoredSchedule {
  lastRun: { status: RunStatus; at: string } | null;
}

const columns =
  "id, name, script_id, profile_ids, timing, timezone, next_run, concurrency, stagger_ms, last_run_id, created_at";
const listed = `SELECT ${columns
  .split(", ")
  .map((column) => `schedules.${column}`)
  .join(
    ", ",
  )}, runs.status AS last_status, runs.started_at AS last_at FROM schedules LEFT JOIN runs ON runs.id = schedules.last_run_id`;
const statuses = ["running", "completed", "partial", "failed", "skipped"] as const;

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

function listedOf(row: Row): ListedSchedule {
  const lastRun =
    row.last_status === null
      ? null
      : { status: word(row, "last_status", statuses), at: text(row, "last_at") };
  return { ...scheduleOf(row), lastRun };
}

/** All schedules, oldest first. */
export function listSchedules(sql: Reader): ListedSchedule[] {
  return sql.all(`${listed} ORDER BY schedules.position`).map(listedOf);
}

export function readSchedule(sql: Reader, id: string): ListedSchedule | null {
  const row = sql.first(`${listed} WHERE schedules.id = ?`, [id]);
  return row === undefined ? null : listedOf(row);
}

export function countSchedules(sql: Reader): number {
  const row = sql.first("SELECT count(*) AS schedules FROM schedules");
  return row === undefined ? 0 : integer(row, "schedules");
}

/** Those that are on, the next to run first. */
export function upcomingSchedules(sql: Reader, limit: number): StoredSchedule[] {
  return sql
    .all(`SELECT ${columns} FROM schedules WHERE next_run IS NOT NULL ORDER BY next_run, position LIMIT ?`, [
      limit,
    ])
    .map(scheduleOf);
}

/** Those that are on and not of this zone (null: of any), oldest first. */
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

export function insertSchedule(sql: Writer, schedule: StoredSchedule): void {
  sql.run(`INSERT INTO schedules (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
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
  ]);
}

/** Answers whether there is such a schedule. */
export function setNextRun(sql: Writer, id: string, nextRun: string | null, timezone: string): boolean {
  return sql.run("UPDATE schedules SET next_run = ?, timezone = ? WHERE id = ?", [nextRun, timezone, id]) > 0;
}

/** As `setNextRun`, where the next run is still `from`. */
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

/** Takes the due time `at` off the schedule: false when its next run is another by now. */
export function takeDueTime(sql: Writer, id: string, at: string, nextRun: string | null): boolean {
  return sql.run("UPDATE schedules SET next_run = ? WHERE id = ? AND next_run = ?", [nextRun, id, at]) > 0;
}

export function setLastRun(sql: Writer, id: string, runId: string): void {
  sql.run("UPDATE schedules SET last_run_id = ? WHERE id = ?", [runId, id]);
}

/** Answers whether there was such a schedule. */
export function removeSchedule(sql: Writer, id: string): boolean {
  return sql.run("DELETE FROM schedules WHERE id = ?", [id]) > 0;
}
