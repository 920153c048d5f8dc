/** Tables of datasets and their rows. Rows are only added; dataset-marks.ts has their states. */
import type { DatasetColumn, DatasetMode } from "../../protocol/datasets.ts";
import { integer, json, text, textOrNull, word } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredDataset {
  position: number;
  id: string;
  name: string;
  mode: DatasetMode;
  columns: DatasetColumn[];
  rowsPerRun: number;
  createdAt: string;
  rowsTotal: number;
  rowsHeld: number;
  rowsUsed: number;
  /** Rows from here on are unused since the last reset, unless they have a mark. */
  firstFresh: number;
}

export interface StoredRow {
  row: number;
  /** Values of open columns in order, followed by one sealed text (base64) with all secret values. */
  values: string[];
  mark: "held" | "free" | "used" | null;
  profileId: string | null;
  runId: string | null;
}

const columns =
  "position, id, name, mode, columns, rows_per_run, created_at, rows_total, rows_held, rows_used, first_fresh";
const markStates = ["held", "free", "used"] as const;

function datasetOf(row: Row): StoredDataset {
  return {
    position: integer(row, "position"),
    id: text(row, "id"),
    name: text(row, "name"),
    mode: word(row, "mode", ["fixed", "consume"]),
    columns: json<DatasetColumn[]>(row, "columns"),
    rowsPerRun: integer(row, "rows_per_run"),
    createdAt: text(row, "created_at"),
    rowsTotal: integer(row, "rows_total"),
    rowsHeld: integer(row, "rows_held"),
    rowsUsed: integer(row, "rows_used"),
    firstFresh: integer(row, "first_fresh"),
  };
}

export function listDatasets(sql: Reader): StoredDataset[] {
  return sql.all(`SELECT ${columns} FROM datasets ORDER BY position`).map(datasetOf);
}

export function readDataset(sql: Reader, id: string): StoredDataset | null {
  const row = sql.first(`SELECT ${columns} FROM datasets WHERE id = ?`, [id]);
  return row === undefined ? null : datasetOf(row);
}

export function datasetAt(sql: Reader, position: number): StoredDataset {
  const row = sql.first(`SELECT ${columns} FROM datasets WHERE position = ?`, [position]);
  if (row === undefined) throw new TypeError(`there is no dataset ${position}`);
  return datasetOf(row);
}

/** With its rows and their marks. No profile may have it. */
export function removeDataset(sql: Writer, position: number): void {
  sql.run("DELETE FROM datasets WHERE position = ?", [position]);
}

/** A profile that has the dataset, or a run that has reserved rows of it, in words; null: none. */
export function datasetUser(sql: Reader, position: number): string | null {
  const row = sql.first(
    `SELECT 'profile ' || profile_id AS user FROM profile_datasets WHERE dataset = ?1
     UNION ALL SELECT 'run ' || run_id FROM dataset_marks WHERE dataset = ?1 AND state = 'held' AND run_id IS NOT NULL LIMIT 1`,
    [position],
  );
  return row === undefined ? null : text(row, "user");
}

export type NewDataset = Pick<StoredDataset, "id" | "name" | "mode" | "columns" | "rowsPerRun" | "createdAt">;

export function insertDataset(sql: Writer, dataset: NewDataset): void {
  sql.run(
    `INSERT INTO datasets (id, name, mode, columns, rows_per_run, created_at, rows_total, rows_held, rows_used, first_fresh)
     VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 1)`,
    [
      dataset.id,
      dataset.name,
      dataset.mode,
      JSON.stringify(dataset.columns),
      dataset.rowsPerRun,
      dataset.createdAt,
    ],
  );
}

/** Characters of rows in one statement. Limited, because SQLite keeps the memory of the largest one. */
const statementCharsMax = 1024 * 1024;

/** Appends rows, each the JSON of StoredRow.values. Throws if `rowsTotal` is outdated. */
export function addRows(sql: Writer, { position, rowsTotal }: StoredDataset, rows: readonly string[]): void {
  if (rows.length === 0) return;
  let first = 0;
  while (first < rows.length) {
    let end = first;
    for (let chars = 0; end < rows.length && chars < statementCharsMax; end++)
      chars += rows[end]?.length ?? 0;
    sql.run("INSERT INTO dataset_rows (dataset, row, data) SELECT ?, ? + key, value FROM json_each(?)", [
      position,
      rowsTotal + 1 + first,
      `[${rows.slice(first, end).join(",")}]`,
    ]);
    first = end;
  }
  sql.run("UPDATE datasets SET rows_total = rows_total + ? WHERE position = ?", [rows.length, position]);
}

const marked = "mark.state AS state, mark.profile_id AS profile_id, mark.run_id AS run_id";

/**
 * A slice of rows. Rows have no gaps, so the offset is a row number. Ends early if the values exceed `bytesMax`, but has at least one row.
 */
export function sliceOfRows(
  sql: Reader,
  { position }: StoredDataset,
  slice: { offset: number; limit: number; bytesMax: number },
): StoredRow[] {
  return sql
    .all(
      `SELECT slice.row AS row, slice.data AS data, ${marked}
       FROM (
         SELECT row, data, sum(length(data)) OVER (ORDER BY row) - length(data) AS before
         FROM (SELECT row, data FROM dataset_rows WHERE dataset = ?1 AND row > ?2 ORDER BY row LIMIT ?3)
       ) AS slice
       LEFT JOIN dataset_marks AS mark ON mark.dataset = ?1 AND mark.row = slice.row
       WHERE slice.before < ?4 ORDER BY slice.row`,
      [position, slice.offset, slice.limit, slice.bytesMax],
    )
    .map(rowOf);
}

export function readRows(sql: Reader, { position }: StoredDataset, rows: readonly number[]): StoredRow[] {
  return sql
    .all(
      `SELECT held.row AS row, held.data AS data, ${marked} FROM dataset_rows AS held
       LEFT JOIN dataset_marks AS mark ON mark.dataset = held.dataset AND mark.row = held.row
       WHERE held.dataset = ? AND held.row IN (SELECT value FROM json_each(?)) ORDER BY held.row`,
      [position, JSON.stringify(rows)],
    )
    .map(rowOf);
}

function rowOf(row: Row): StoredRow {
  return {
    row: integer(row, "row"),
    values: json<string[]>(row, "data"),
    mark: row.state === null ? null : word(row, "state", markStates),
    profileId: textOrNull(row, "profile_id"),
    runId: textOrNull(row, "run_id"),
  };
}
