/** Table of scripts. */
import type { ScriptListing } from "../../protocol/records.ts";
import type { ScriptLibrary } from "../../protocol/scalars.ts";
import { integer, text, textOrNull, word } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredScript {
  id: string;
  name: string;
  description: string;
  mode: ScriptListing["mode"];
  origin: ScriptListing["origin"];
  library: ScriptLibrary;
  source: string;
  document: string | null;
  sha256: string;
  version: number;
  /** SHA-256 of the last approved source. The script is approved while this equals `sha256`. */
  approvedSha256: string | null;
  createdAt: string;
  updatedAt: string;
}

const listed = "id, name, mode, origin, sha256, version, approved_sha256";
const columns =
  "id, name, description, mode, origin, library, source, document, sha256, version, approved_sha256, created_at, updated_at";

function scriptOf(row: Row): StoredScript {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    description: text(row, "description"),
    mode: word(row, "mode", ["raw", "dsl"]),
    origin: word(row, "origin", ["api", "app"]),
    library: word(row, "library", ["playwright", "puppeteer"]),
    source: text(row, "source"),
    document: textOrNull(row, "document"),
    sha256: text(row, "sha256"),
    version: integer(row, "version"),
    approvedSha256: textOrNull(row, "approved_sha256"),
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
  };
}

export function listScripts(sql: Reader): ScriptListing[] {
  return sql.all(`SELECT ${listed} FROM scripts ORDER BY position`).map((row) => ({
    id: text(row, "id"),
    name: text(row, "name"),
    version: String(integer(row, "version")),
    mode: word(row, "mode", ["raw", "dsl"]),
    origin: word(row, "origin", ["api", "app"]),
    approved: textOrNull(row, "approved_sha256") === text(row, "sha256"),
  }));
}

export function readScript(sql: Reader, id: string): StoredScript | null {
  const row = sql.first(`SELECT ${columns} FROM scripts WHERE id = ?`, [id]);
  return row === undefined ? null : scriptOf(row);
}

export function storeScript(sql: Writer, script: StoredScript): void {
  sql.run(
    `INSERT INTO scripts (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, origin = excluded.origin, description = excluded.description, library = excluded.library,
     source = excluded.source, document = excluded.document, sha256 = excluded.sha256, version = excluded.version,
     approved_sha256 = excluded.approved_sha256, updated_at = excluded.updated_at`,
    [
      script.id,
      script.name,
      script.description,
      script.mode,
      script.origin,
      script.library,
      script.source,
      script.document,
      script.sha256,
      script.version,
      script.approvedSha256,
      script.createdAt,
      script.updatedAt,
    ],
  );
}

export function removeScript(sql: Writer, id: string): void {
  sql.run("DELETE FROM scripts WHERE id = ?", [id]);
}

/** A schedule or a run in progress that needs the script, in words; null: none. */
export function scriptUser(sql: Reader, id: string): string | null {
  const row = sql.first(
    `SELECT 'schedule ' || id || ' (' || name || ')' AS user FROM schedules WHERE script_id = ?1
     UNION ALL SELECT 'run ' || id FROM runs WHERE script_id = ?1 AND status = 'running' LIMIT 1`,
    [id],
  );
  return row === undefined ? null : text(row, "user");
}

export function approveSource(sql: Writer, id: string, sha256: string): void {
  sql.run("UPDATE scripts SET approved_sha256 = ?, approved_source = source WHERE id = ?", [sha256, id]);
}

export function readApprovedSource(sql: Reader, id: string): string | null {
  const row = sql.first("SELECT approved_source FROM scripts WHERE id = ?", [id]);
  return row === undefined ? null : textOrNull(row, "approved_source");
}
