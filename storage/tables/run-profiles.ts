/** Table of the profiles' parts of runs. */
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import type { RunProfile } from "../../protocol/records.ts";
import { integer, integerOrNull, json, text, textOrNull, word } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

/** `placed` waits and `away` runs in the fleet: the runs thread of this machine neither starts nor fails it. */
export type PartStatus = RunProfile["status"] | "placed" | "away";
export type PartEnd = Omit<RunProfile, "profileId" | "startedAt" | "completedAt">;

const columns =
  "profile_id, status, error, started_at, completed_at, result, output, log, files, launch_ms, isolation";
const isolations = ["sealed", "namespaces", "lock"] as const;
const statuses = ["waiting", "running", "completed", "failed", "skipped", "placed", "away"] as const;
const shownAs = { placed: "waiting", away: "running" } as const;

const notShown = `not shown: it is more than ${limits.jsonLevelsMax} levels deep or has more than ${limits.jsonKeysMax} keys`;

/** A script's output. Replaces a value that exceeds the JSON limits, which older versions accepted. */
function bounded<T>(row: Row, column: string, instead: T): T {
  return jsonExcess(Buffer.from(text(row, column))) === null ? json<T>(row, column) : instead;
}

function shown(status: PartStatus): RunProfile["status"] {
  return status === "placed" || status === "away" ? shownAs[status] : status;
}

function partOf(row: Row): RunProfile {
  return {
    profileId: text(row, "profile_id"),
    status: shown(word(row, "status", statuses)),
    error: textOrNull(row, "error"),
    startedAt: textOrNull(row, "started_at"),
    completedAt: textOrNull(row, "completed_at"),
    result: row.result === null ? null : bounded(row, "result", notShown),
    output: bounded<Record<string, unknown>[]>(row, "output", [{ error: notShown }]),
    log: json<string[]>(row, "log"),
    files: json<string[]>(row, "files"),
    launchMs: integerOrNull(row, "launch_ms"),
    isolation: row.isolation === null ? null : word(row, "isolation", isolations),
  };
}

/** Inserts a waiting part per profile, in order. One statement, so that the journal stays small. */
export function insertParts(sql: Writer, runId: string, profileIds: string[]): void {
  sql.run(
    `INSERT INTO run_profiles (run_id, position, profile_id, status, output, log, files)
     SELECT ?, key, value, 'waiting', '[]', '[]', '[]' FROM json_each(?) ORDER BY key`,
    [runId, JSON.stringify(profileIds)],
  );
}

/** `status` null: all. */
export function listParts(
  sql: Reader,
  runId: string,
  { offset, limit, status }: { offset: number; limit: number; status: RunProfile["status"] | null },
): RunProfile[] {
  return sql
    .all(
      `SELECT ${columns} FROM run_profiles WHERE run_id = ? AND (? IS NULL OR status = ?)
       ORDER BY position LIMIT ? OFFSET ?`,
      [runId, status, status, limit, offset],
    )
    .map(partOf);
}

export function readPart(sql: Reader, runId: string, profileId: string): RunProfile | null {
  const row = sql.first(`SELECT ${columns} FROM run_profiles WHERE run_id = ? AND profile_id = ?`, [
    runId,
    profileId,
  ]);
  return row === undefined ? null : partOf(row);
}

/** A run that has yet to end this profile's part; null for none. */
export function runUsing(sql: Reader, profileId: string): string | null {
  const row = sql.first(
    `SELECT id FROM runs JOIN run_profiles ON run_id = id
     WHERE runs.status = 'running' AND profile_id = ? AND run_profiles.status IN ('waiting', 'running', 'placed', 'away') LIMIT 1`,
    [profileId],
  );
  return row === undefined ? null : text(row, "id");
}

export function partStatus(sql: Reader, runId: string, profileId: string): PartStatus | null {
  const row = sql.first("SELECT status FROM run_profiles WHERE run_id = ? AND profile_id = ?", [
    runId,
    profileId,
  ]);
  return row === undefined ? null : word(row, "status", statuses);
}

/** The parts that ended without success, in order. An interrupted one has failed. */
export function partsToRetry(
  sql: Reader,
  runId: string,
  only: "failed" | "skipped" | "interrupted" | null,
): string[] {
  return sql
    .all(
      `SELECT profile_id FROM run_profiles WHERE run_id = ?1 AND status IN ('failed', 'skipped')
       AND (?2 IS NULL OR ?2 = CASE WHEN status = 'failed' AND error = 'interrupted' THEN 'interrupted' ELSE status END)
       ORDER BY position`,
      [runId, only],
    )
    .map((row) => text(row, "profile_id"));
}

export function partsOf(sql: Reader, runId: string, status: PartStatus): string[] {
  return sql
    .all("SELECT profile_id FROM run_profiles WHERE run_id = ? AND status = ? ORDER BY position", [
      runId,
      status,
    ])
    .map((row) => text(row, "profile_id"));
}

export function countByStatus(sql: Reader, runId: string): Record<PartStatus, number> {
  const counts = { waiting: 0, running: 0, completed: 0, failed: 0, skipped: 0, placed: 0, away: 0 };
  for (const row of sql.all(
    "SELECT status, count(*) AS parts FROM run_profiles WHERE run_id = ? GROUP BY status",
    [runId],
  )) {
    counts[word(row, "status", statuses)] = integer(row, "parts");
  }
  return counts;
}

export function beginPart(sql: Writer, runId: string, profileId: string, at: string): void {
  sql.run("UPDATE run_profiles SET status = 'running', started_at = ? WHERE run_id = ? AND profile_id = ?", [
    at,
    runId,
    profileId,
  ]);
}

export function setPartStatus(sql: Writer, runId: string, profileId: string, status: PartStatus): void {
  sql.run("UPDATE run_profiles SET status = ? WHERE run_id = ? AND profile_id = ?", [
    status,
    runId,
    profileId,
  ]);
}

export function endPart(sql: Writer, runId: string, profileId: string, at: string, end: PartEnd): void {
  sql.run(
    `UPDATE run_profiles SET status = ?, error = ?, completed_at = ?, result = ?, output = ?, log = ?, files = ?, launch_ms = ?, isolation = ?
     WHERE run_id = ? AND profile_id = ?`,
    [
      end.status,
      end.error,
      at,
      end.result === null || end.result === undefined ? null : JSON.stringify(end.result),
      JSON.stringify(end.output),
      JSON.stringify(end.log),
      JSON.stringify(end.files),
      end.launchMs === null ? null : Math.round(end.launchMs),
      end.isolation,
      runId,
      profileId,
    ],
  );
}

export function endPartsOf(
  sql: Writer,
  runId: string,
  from: PartStatus,
  end: { status: PartStatus; at: string; error: string | null },
): number {
  return sql.run(
    "UPDATE run_profiles SET status = ?, error = ?, completed_at = ? WHERE run_id = ? AND status = ?",
    [end.status, end.error, end.at, runId, from],
  );
}

export function forgetFiles(sql: Writer, runId: string): void {
  sql.run("UPDATE run_profiles SET files = '[]' WHERE run_id = ?", [runId]);
}
