/** The table of profiles. */
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
  /** IANA zone. */
  timezone: string;
  /** First the preferred one; empty: the host's. */
  languages: string[];
  /** Null: created before devices were sampled. */
  fingerprint: Fingerprint | null;
  createdAt: string;
  lastUsed: string | null;
}

const columns =
  "id, name, slug, os, folder, groups, tags, timezone, languages, fingerprint, created_at, last_used";

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
  };
}

/** All profiles, newest last. */
export function readProfiles(sql: Reader): StoredProfile[] {
  return sql.all(`SELECT ${columns} FROM profiles ORDER BY position`).map(profileOf);
}

export function readProfile(sql: Reader, id: string): StoredProfile | null {
  const row = sql.first(`SELECT ${columns} FROM profiles WHERE id = ?`, [id]);
  return row === undefined ? null : profileOf(row);
}

export function countProfiles(sql: Reader): number {
  const row = sql.first("SELECT count(*) AS profiles FROM profiles");
  return row === undefined ? 0 : integer(row, "profiles");
}

/** Those of `ids` that no profile has. */
export function missingProfiles(sql: Reader, ids: string[]): string[] {
  return sql
    .all("SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM profiles) ORDER BY key", [
      JSON.stringify(ids),
    ])
    .map((row) => text(row, "value"));
}

export function insertProfile(sql: Writer, profile: StoredProfile): void {
  sql.run(`INSERT INTO profiles (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
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
  ]);
}

/** Answers whether there is such a profile. */
export function setLastUsed(sql: Writer, id: string, at: string): boolean {
  return sql.run("UPDATE profiles SET last_used = ? WHERE id = ?", [at, id]) > 0;
}
