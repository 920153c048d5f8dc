/** SQLite's integrity check. */
import type { Reader } from "../../storage/sqlite.ts";

export function integrityOf(sql: Reader): string {
  return String(sql.first("PRAGMA integrity_check")?.integrity_check);
}
