/** Table of tokens; stores hashes only. */
import type { Token } from "../../protocol/records.ts";
import type { Access } from "../../protocol/scalars.ts";
import { text, textOrNull, word } from "../row.ts";
import type { Reader, Writer } from "../sqlite.ts";

export interface StoredToken extends Token {
  sha256: string;
}

const accesses: readonly Access[] = ["read", "write"];

export function readTokens(sql: Reader): StoredToken[] {
  return sql
    .all("SELECT name, access, sha256, created_at, last_used FROM tokens ORDER BY position")
    .map((row) => ({
      name: text(row, "name"),
      access: word(row, "access", accesses),
      sha256: text(row, "sha256"),
      createdAt: text(row, "created_at"),
      lastUsed: textOrNull(row, "last_used"),
    }));
}

export function hasToken(sql: Reader, name: string): boolean {
  return sql.first("SELECT 1 FROM tokens WHERE name = ?", [name]) !== undefined;
}

export function insertToken(sql: Writer, token: StoredToken): void {
  sql.run("INSERT INTO tokens (name, access, sha256, created_at, last_used) VALUES (?, ?, ?, ?, ?)", [
    token.name,
    token.access,
    token.sha256,
    token.createdAt,
    token.lastUsed,
  ]);
}

export function deleteToken(sql: Writer, name: string): boolean {
  return sql.run("DELETE FROM tokens WHERE name = ?", [name]) > 0;
}

/** Keeps the later time. Ignores a deleted token. */
export function noteTokenUse(sql: Writer, name: string, at: string): void {
  sql.run("UPDATE tokens SET last_used = ? WHERE name = ? AND (last_used IS NULL OR last_used < ?)", [
    at,
    name,
    at,
  ]);
}
