/**
 * Marks on dataset rows: held rows, and rows whose state differs from the default. Without a mark, a row is free from `firstFresh` on and
 * used before it, so that using or resetting a million rows alters none of them.
 */
import { integer } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";
import type { StoredDataset } from "./datasets.ts";

export function freeRows({ rowsTotal, rowsHeld, rowsUsed }: StoredDataset): number {
  return rowsTotal - rowsHeld - rowsUsed;
}

/** The first `count` free rows, or fewer. */
export function nextFree(sql: Reader, { position, firstFresh }: StoredDataset, count: number): number[] {
  const returned = numbers(
    sql,
    "SELECT row FROM dataset_marks WHERE dataset = ? AND state = 'free' ORDER BY row LIMIT ?",
    [position, count],
  );
  if (returned.length === count) return returned;
  const fresh = numbers(
    sql,
    `SELECT row FROM dataset_rows AS fresh WHERE dataset = ? AND row >= ?
     AND NOT EXISTS (SELECT 1 FROM dataset_marks AS mark WHERE mark.dataset = fresh.dataset AND mark.row = fresh.row)
     ORDER BY row LIMIT ?`,
    [position, firstFresh, count - returned.length],
  );
  return [...returned, ...fresh];
}

function numbers(sql: Reader, query: string, values: (string | number)[]): number[] {
  return sql.all(query, values).map((row) => integer(row, "row"));
}

/**
 * Marks rows from `nextFree` as held, each by a profile, permanently (`runId` null) or for a part of a run. Throws if a row is not free,
 * so that no row is held twice.
 */
export function holdRows(
  sql: Writer,
  { position, firstFresh }: StoredDataset,
  holds: readonly { row: number; profileId: string }[],
  runId: string | null,
): void {
  if (holds.length === 0) return;
  const held = sql.run(
    `INSERT INTO dataset_marks (dataset, row, state, profile_id, run_id)
     SELECT ?, value ->> 0, 'held', value ->> 1, ? FROM json_each(?) WHERE true
     ON CONFLICT (dataset, row) DO UPDATE SET state = 'held', profile_id = excluded.profile_id, run_id = excluded.run_id
     WHERE state = 'free'`,
    [position, runId, JSON.stringify(holds.map(({ row, profileId }) => [row, profileId]))],
  );
  if (held !== holds.length) throw new TypeError(`${holds.length - held} rows to hold were not free`);
  const fresh = Math.max(firstFresh, ...holds.map(({ row }) => row + 1));
  // Used rows before `first_fresh` need no mark.
  sql.run("DELETE FROM dataset_marks WHERE dataset = ? AND row >= ? AND row < ? AND state = 'used'", [
    position,
    firstFresh,
    fresh,
  ]);
  sql.run("UPDATE datasets SET rows_held = rows_held + ?, first_fresh = ? WHERE position = ?", [
    holds.length,
    fresh,
    position,
  ]);
}

/** Frees held rows or marks them as used. Throws if a row is not held. */
export function settleRows(
  sql: Writer,
  { position, firstFresh }: StoredDataset,
  rows: readonly number[],
  become: "free" | "used",
): void {
  if (rows.length === 0) return;
  const [unmarked, marked] = become === "used" ? ["<", ">="] : [">=", "<"];
  const which = "dataset = ? AND row IN (SELECT value FROM json_each(?)) AND state = 'held'";
  const values = [position, JSON.stringify(rows), firstFresh];
  const settled =
    sql.run(`DELETE FROM dataset_marks WHERE ${which} AND row ${unmarked} ?`, values) +
    sql.run(
      `UPDATE dataset_marks SET state = '${become}', profile_id = NULL, run_id = NULL WHERE ${which} AND row ${marked} ?`,
      values,
    );
  if (settled !== rows.length) throw new TypeError(`${rows.length - settled} rows to settle were not held`);
  sql.run("UPDATE datasets SET rows_held = rows_held - ?, rows_used = rows_used + ? WHERE position = ?", [
    rows.length,
    become === "used" ? rows.length : 0,
    position,
  ]);
}

export function forgetUsed(sql: Writer, { position }: StoredDataset): void {
  sql.run("DELETE FROM dataset_marks WHERE dataset = ? AND state IN ('free', 'used')", [position]);
  sql.run("UPDATE datasets SET first_fresh = 1, rows_used = 0 WHERE position = ?", [position]);
}

export function rowsOfProfiles(
  sql: Reader,
  { position }: StoredDataset,
  profileIds: readonly string[],
): Map<string, number> {
  const found = sql.all(
    `SELECT profile_id, row FROM dataset_marks
     WHERE profile_id IN (SELECT value FROM json_each(?)) AND dataset = ? AND run_id IS NULL`,
    [JSON.stringify(profileIds), position],
  );
  return new Map(found.map((row) => [String(row.profile_id), integer(row, "row")]));
}

/** Rows that a run's parts hold, by dataset; `profileId` null selects all parts. */
export function rowsOfParts(sql: Reader, runId: string, profileId: string | null): Map<number, number[]> {
  const held = new Map<number, number[]>();
  for (const row of sql.all(
    "SELECT dataset, row FROM dataset_marks WHERE run_id = ?1 AND (?2 IS NULL OR profile_id = ?2) ORDER BY dataset, row",
    [runId, profileId],
  )) {
    const dataset = integer(row, "dataset");
    const rows = held.get(dataset);
    if (rows === undefined) held.set(dataset, [integer(row, "row")]);
    else rows.push(integer(row, "row"));
  }
  return held;
}
