/** The fleet's tables in PostgreSQL. Only the head changes them (`troupe fleet on`). */
import { Fault } from "../../protocol/faults.ts";
import type { Postgres, Sql } from "./postgres.ts";

/** Text columns for ids, because the library's ids are text. Never change a released one. */
const first = `
CREATE SCHEMA troupe_fleet;
CREATE TABLE troupe_fleet.fleet (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL,
  head_id text NOT NULL,
  key_check bytea NOT NULL
);
CREATE TABLE troupe_fleet.worker (
  session text PRIMARY KEY,
  name text NOT NULL,
  label text NOT NULL,
  platform text NOT NULL,
  engine integer NOT NULL,
  troupe text NOT NULL,
  slots integer NOT NULL,
  beat bigint NOT NULL DEFAULT 0,
  draining boolean NOT NULL DEFAULT false,
  lost boolean NOT NULL DEFAULT false,
  trouble text,
  joined_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX worker_name ON troupe_fleet.worker (name) WHERE NOT lost;
CREATE TABLE troupe_fleet.profile (
  profile_id text PRIMARY KEY,
  epoch bigint NOT NULL,
  home boolean NOT NULL,
  holder text REFERENCES troupe_fleet.worker (session),
  held_since timestamptz,
  archive text,
  sha256 text,
  bytes bigint,
  archive_epoch bigint,
  platform text NOT NULL,
  engine integer NOT NULL,
  label text NOT NULL,
  proxied boolean NOT NULL,
  last_worker text
);
CREATE INDEX profile_holder ON troupe_fleet.profile (holder) WHERE holder IS NOT NULL;
CREATE TABLE troupe_fleet.part (
  run_id text NOT NULL,
  profile_id text NOT NULL REFERENCES troupe_fleet.profile (profile_id),
  state text NOT NULL CHECK (state IN ('queued', 'claimed', 'begun', 'ended')),
  spec bytea NOT NULL,
  session text,
  epoch bigint,
  queued_at timestamptz NOT NULL DEFAULT now(),
  begun_at timestamptz,
  abort text,
  ending text CHECK (ending IN ('outcome', 'interrupted', 'skipped')),
  outcome bytea,
  noted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (run_id, profile_id)
);
CREATE UNIQUE INDEX part_open ON troupe_fleet.part (profile_id) WHERE state <> 'ended';
CREATE INDEX part_queued ON troupe_fleet.part (queued_at) WHERE state = 'queued';
CREATE INDEX part_session ON troupe_fleet.part (session) WHERE state IN ('claimed', 'begun');
CREATE INDEX part_news ON troupe_fleet.part (state) WHERE NOT noted AND state IN ('begun', 'ended')`;

const liveLogs = `
CREATE TABLE troupe_fleet.live_log (
  run_id text NOT NULL,
  profile_id text NOT NULL,
  wanted_at timestamptz NOT NULL DEFAULT now(),
  count bigint NOT NULL DEFAULT 0,
  lines bytea,
  PRIMARY KEY (run_id, profile_id),
  FOREIGN KEY (run_id, profile_id) REFERENCES troupe_fleet.part (run_id, profile_id) ON DELETE CASCADE
)`;

const headship = `
ALTER TABLE troupe_fleet.fleet ADD COLUMN head_session text, ADD COLUMN head_beat bigint NOT NULL DEFAULT 0`;

const migrations: readonly string[] = [first, liveLogs, headship];

/** Throws `conflict` (the database belongs to another head), `invalid` (a later release made it). */
export async function prepareTables(postgres: Postgres, headId: string, keyCheck: Uint8Array): Promise<void> {
  await postgres.transaction(async (sql) => {
    await sql.all("SELECT pg_advisory_xact_lock(hashtext('troupe_fleet'))");
    const version = await versionOf(sql);
    if (version > migrations.length) throw laterRelease();
    if (version > 0) await refuseOtherHead(sql, headId);
    for (const migration of migrations.slice(version)) await sql.all(migration);
    await sql.all(
      `INSERT INTO troupe_fleet.fleet (version, head_id, key_check) VALUES ($1, $2, $3)
       ON CONFLICT (one) DO UPDATE SET version = excluded.version, key_check = excluded.key_check`,
      [migrations.length, headId, keyCheck],
    );
  });
}

/** Null: there is no fleet. */
export async function headIdIn(sql: Sql): Promise<string | null> {
  if (!(await hasTables(sql))) return null;
  const [row] = await sql.all("SELECT head_id FROM troupe_fleet.fleet");
  return row === undefined ? null : String(row.head_id);
}

/** Throws `invalid` (no fleet there, another version of it), `conflict` (another head's). */
export async function checkTables(sql: Sql, headId: string | null): Promise<Uint8Array> {
  const version = await versionOf(sql);
  if (version === 0)
    throw new Fault(
      "invalid",
      "this database has no fleet, or none any more; begin one on the machine that has the profiles: troupe fleet on",
    );
  if (version > migrations.length) throw laterRelease();
  if (version < migrations.length)
    throw new Fault("invalid", "an older release of Troupe made this fleet; update it with: troupe fleet on");
  if (headId !== null) await refuseOtherHead(sql, headId);
  const [row] = await sql.all("SELECT key_check FROM troupe_fleet.fleet");
  return row?.key_check as Uint8Array;
}

export async function hasTables(sql: Sql): Promise<boolean> {
  const [there] = await sql.all("SELECT to_regclass('troupe_fleet.fleet') IS NOT NULL AS there");
  return there?.there === true;
}

async function versionOf(sql: Sql): Promise<number> {
  if (!(await hasTables(sql))) return 0;
  const [row] = await sql.all("SELECT version FROM troupe_fleet.fleet");
  return Number(row?.version ?? 0);
}

async function refuseOtherHead(sql: Sql, headId: string): Promise<void> {
  const known = await headIdIn(sql);
  if (known === null || known === headId) return;
  throw new Fault(
    "conflict",
    "this database belongs to the fleet of another service; give each fleet a database of its own (if that service is gone for good, drop its schema: DROP SCHEMA troupe_fleet CASCADE)",
  );
}

function laterRelease(): Fault {
  return new Fault("invalid", "a later release of Troupe made this fleet; update this machine");
}
