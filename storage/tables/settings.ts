/** Table of settings: a JSON value per name. Missing settings have defaults. */
import { json } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";

/** The stored value, or `fallback`. The caller must use the type that was stored. */
export function readSetting<T>(sql: Reader, name: string, fallback: T): T {
  const row = sql.first("SELECT value FROM settings WHERE name = ?", [name]);
  return row === undefined ? fallback : json<T>(row, "value");
}

export function storeSetting(sql: Writer, name: string, value: unknown): void {
  sql.run(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [name, JSON.stringify(value)],
  );
}
