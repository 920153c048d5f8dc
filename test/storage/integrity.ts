/** SQLite's own opinion of a database. */
import type { Reader } from "../../storage/sqlite.ts";

/** "ok", or what is wrong with it. */
export function integrityOf(sql: Reader): string {
  return String(sql.first("PRAGMA integrity_check")?.integrity_check);
}
