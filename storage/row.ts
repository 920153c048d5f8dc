/** Reads columns of a row with their schema types. */
import type { SqlValue } from "./journal-records.ts";
import type { Row } from "./sqlite.ts";

function wrong(column: string, value: SqlValue | undefined): Error {
  return new Error(`column ${column} holds ${value === null ? "null" : typeof value}`);
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw wrong(column, value);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw wrong(column, value);
  return value;
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

export function blobOrNull(row: Row, column: string): Uint8Array | null {
  const value = row[column];
  if (value === null) return null;
  if (!(value instanceof Uint8Array)) throw wrong(column, value);
  return value;
}

export function word<Word extends string>(row: Row, column: string, words: readonly Word[]): Word {
  const value = text(row, column);
  const known = words.find((candidate) => candidate === value);
  if (known === undefined) throw new Error(`column ${column} holds ${JSON.stringify(value)}`);
  return known;
}

/** Trusted: the same table's file wrote it. */
export function json<T>(row: Row, column: string): T {
  return JSON.parse(text(row, column));
}
