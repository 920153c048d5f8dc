/** Table of profiles. Trashed profiles keep all their data; most queries exclude them. */
import type { Fingerprint } from "../../protocol/fingerprint.ts";
import type { ProfileOs } from "../../protocol/scalars.ts";
import { integer, json, text, textOrNull, word } from "../row.ts";
import type { Reader, Row, Writer } from "../sqlite.ts";

export interface StoredProfile {
  id: string;
  name: string;
  slug: string;
  os: ProfileOs;
  folder: string | null;
  groups: string[];
  tags: string[];
  timezone: string;
  /** The preferred one first; empty means the host's. */
  languages: string[];
  /** Null if created before devices were sampled. */
  fingerprint: Fingerprint | null;
  createdAt: string;
  lastUsed: string | null;
  trashedAt: string | null;
}

export type ProfileLabels = Pick<StoredProfile, "name" | "slug" | "folder" | "groups" | "tags">;

const columns =
  "id, name, slug, os, folder, groups, tags, timezone, languages, fingerprint, created_at, last_used, trashed_at";

function profileOf(row: Row): StoredProfile {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    slug: text(row, "slug"),
    os: word(row, "os", ["windows", "macos", "linux"]),
    folder: textOrNull(row, "folder"),
    groups: json<string[]>(row, "groups"),
    tags: json<string[]>(row, "tags"),
    timezone: text(row, "timezone"),
    languages: json<string[]>(row, "languages"),
    fingerprint: row.fingerprint === null ? null : json<Fingerprint>(row, "fingerprint"),
    createdAt: text(row, "created_at"),
    lastUsed: textOrNull(row, "last_used"),
    trashedAt: textOrNull(row, "trashed_at"),
  };
}

export function readProfiles(sql: Reader): StoredProfile[] {
  return sql.all(`SELECT ${columns} FROM profiles ORDER BY position`).map(profileOf);
}

export function readProfile(sql: Reader, id: string): StoredProfile | null {
  const row = sql.first(`SELECT ${columns} FROM profiles WHERE id = ? AND trashed_at IS NULL`, [id]);
  return row === undefined ? null : profileOf(row);
}

/** Not in the trash. */
export function hasProfile(sql: Reader, id: string): boolean {
  return sql.first("SELECT 1 FROM profiles WHERE id = ? AND trashed_at IS NULL", [id]) !== undefined;
}

/** Trashed profiles among `ids`; null selects all. */
export function trashedProfiles(sql: Reader, ids: readonly string[] | null): string[] {
  return sql
    .all(
      `SELECT id FROM profiles WHERE trashed_at IS NOT NULL
       AND (?1 IS NULL OR id IN (SELECT value FROM json_each(?1))) ORDER BY position`,
      [ids === null ? null : JSON.stringify(ids)],
    )
    .map((row) => text(row, "id"));
}

export function countProfiles(sql: Reader): number {
  const row = sql.first("SELECT count(*) AS profiles FROM profiles WHERE trashed_at IS NULL");
  return row === undefined ? 0 : integer(row, "profiles");
}

/** Those of `ids` that do not exist or are trashed. */
export function missingProfiles(sql: Reader, ids: string[]): string[] {
  return sql
    .all(
      `SELECT value FROM json_each(?)
       WHERE value NOT IN (SELECT id FROM profiles WHERE trashed_at IS NULL) ORDER BY key`,
      [JSON.stringify(ids)],
    )
    .map((row) => text(row, "value"));
}

export function insertProfile(sql: Writer, profile: StoredProfile): void {
  sql.run(`INSERT INTO profiles (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    profile.id,
    profile.name,
    profile.slug,
    profile.os,
    profile.folder,
    JSON.stringify(profile.groups),
    JSON.stringify(profile.tags),
    profile.timezone,
    JSON.stringify(profile.languages),
    profile.fingerprint === null ? null : JSON.stringify(profile.fingerprint),
    profile.createdAt,
    profile.lastUsed,
    profile.trashedAt,
  ]);
}

export function setLastUsed(sql: Writer, id: string, at: string): boolean {
  return sql.run("UPDATE profiles SET last_used = ? WHERE id = ?", [at, id]) > 0;
}

export function setLabels(
  sql: Writer,
  id: string,
  { name, slug, folder, groups, tags }: ProfileLabels,
): void {
  sql.run("UPDATE profiles SET name = ?, slug = ?, folder = ?, groups = ?, tags = ? WHERE id = ?", [
    name,
    slug,
    folder,
    JSON.stringify(groups),
    JSON.stringify(tags),
    id,
  ]);
}

export function setLocale(
  sql: Writer,
  id: string,
  { timezone, languages }: Pick<StoredProfile, "timezone" | "languages">,
): void {
  sql.run("UPDATE profiles SET timezone = ?, languages = ? WHERE id = ?", [
    timezone,
    JSON.stringify(languages),
    id,
  ]);
}

export function setTrashed(sql: Writer, ids: readonly string[], at: string | null): void {
  sql.run("UPDATE profiles SET trashed_at = ? WHERE id IN (SELECT value FROM json_each(?))", [
    at,
    JSON.stringify(ids),
  ]);
}

/** Also deletes their variables and their assignments to pools and datasets. */
export function deleteProfiles(sql: Writer, ids: readonly string[]): void {
  sql.run("DELETE FROM profiles WHERE id IN (SELECT value FROM json_each(?))", [JSON.stringify(ids)]);
}
