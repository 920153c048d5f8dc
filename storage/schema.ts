/** The library's schema as a list of migrations. Never change a released migration. */
import { laterRelease } from "./journal-records.ts";
import type { Sqlite } from "./sqlite.ts";

/** SQL from the previous version to the next: several statements without values. */
export type Migration = string;

/** "Trpe" as SQLite's application id, so that tools recognise the file. */
const applicationId = 0x54727065;

/**
 * Migrates the database in memory to the last version. Calls `before` with each step's target version, so that the previous state can be
 * saved. Returns whether anything changed. Throws `internal` for a later version.
 */
export async function migrate(
  sqlite: Sqlite,
  migrations: readonly Migration[],
  before: (version: number) => Promise<void>,
): Promise<boolean> {
  const from = Number(sqlite.first("PRAGMA user_version")?.user_version);
  if (from > migrations.length) {
    throw laterRelease(`the library is of schema ${from}, this build knows ${migrations.length}`);
  }
  for (const [index, migration] of migrations.entries()) {
    const version = index + 1;
    if (version <= from) continue;
    await before(version);
    sqlite.script(
      `BEGIN; ${migration}; PRAGMA user_version = ${version}; PRAGMA application_id = ${applicationId}; COMMIT`,
    );
  }
  return from < migrations.length;
}

const first: Migration = `
CREATE TABLE profiles (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  os TEXT NOT NULL,
  folder TEXT,
  groups TEXT NOT NULL,
  tags TEXT NOT NULL,
  timezone TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used TEXT
) STRICT;

CREATE TABLE variables (
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (profile_id, name)
) STRICT;

CREATE TABLE scripts (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  mode TEXT NOT NULL,
  origin TEXT NOT NULL,
  library TEXT NOT NULL,
  source TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  version INTEGER NOT NULL,
  approved_sha256 TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  source TEXT,
  script_id TEXT,
  script_sha256 TEXT,
  schedule_id TEXT,
  profile_ids TEXT NOT NULL,
  profiles_total INTEGER NOT NULL,
  profiles_done INTEGER NOT NULL,
  profiles_failed INTEGER NOT NULL,
  headless INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  stagger_ms INTEGER NOT NULL,
  variables_sealed BLOB,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  error TEXT
) STRICT;
CREATE INDEX runs_of_schedule ON runs (schedule_id, position) WHERE schedule_id IS NOT NULL;
CREATE INDEX runs_going_on ON runs (position) WHERE status = 'running';

CREATE TABLE run_profiles (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  profile_id TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT,
  started_at TEXT,
  completed_at TEXT,
  result TEXT,
  output TEXT NOT NULL,
  log TEXT NOT NULL,
  files TEXT NOT NULL,
  launch_ms INTEGER,
  UNIQUE (run_id, position),
  UNIQUE (run_id, profile_id)
) STRICT;

CREATE TABLE tokens (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  access TEXT NOT NULL,
  sha256 TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  last_used TEXT
) STRICT;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT`;

const runKeys: Migration = `
ALTER TABLE run_profiles ADD COLUMN isolation TEXT;
CREATE TABLE run_keys (
  token TEXT NOT NULL,
  key TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  PRIMARY KEY (token, key)
) STRICT;
CREATE INDEX run_keys_of_run ON run_keys (run_id)`;

/** Devices and languages of profiles. Older profiles have none and show the host's. */
const devices: Migration = `
ALTER TABLE profiles ADD COLUMN fingerprint TEXT;
ALTER TABLE profiles ADD COLUMN languages TEXT NOT NULL DEFAULT '[]'`;

const schedules: Migration = `
CREATE TABLE schedules (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  script_id TEXT NOT NULL,
  profile_ids TEXT NOT NULL,
  timing TEXT NOT NULL,
  timing_shown TEXT NOT NULL,
  timezone TEXT NOT NULL,
  next_run TEXT,
  concurrency INTEGER NOT NULL,
  stagger_ms INTEGER NOT NULL,
  last_run_id TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX schedules_to_run ON schedules (next_run) WHERE next_run IS NOT NULL;
CREATE INDEX runs_of_schedule_going_on ON runs (schedule_id) WHERE status = 'running' AND schedule_id IS NOT NULL`;

const proxyPools: Migration = `
CREATE TABLE proxy_pools (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  type TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE TABLE proxies (
  pool_id TEXT NOT NULL REFERENCES proxy_pools (id) ON DELETE CASCADE,
  slot INTEGER NOT NULL,
  type TEXT NOT NULL,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  credentials_sealed BLOB,
  exit TEXT,
  error TEXT,
  PRIMARY KEY (pool_id, slot)
) STRICT;
CREATE TABLE profile_proxies (
  profile_id TEXT NOT NULL PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE,
  pool_id TEXT NOT NULL,
  slot INTEGER NOT NULL,
  session TEXT,
  exit TEXT,
  error TEXT,
  FOREIGN KEY (pool_id, slot) REFERENCES proxies (pool_id, slot)
) STRICT;
CREATE INDEX profile_proxies_of_proxy ON profile_proxies (pool_id, slot)`;

const datasets: Migration = `
CREATE TABLE datasets (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  mode TEXT NOT NULL,
  columns TEXT NOT NULL,
  rows_per_run INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  rows_total INTEGER NOT NULL,
  rows_held INTEGER NOT NULL,
  rows_used INTEGER NOT NULL,
  first_fresh INTEGER NOT NULL
) STRICT;
CREATE TABLE dataset_rows (
  dataset INTEGER NOT NULL REFERENCES datasets (position) ON DELETE CASCADE,
  row INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (dataset, row)
) STRICT, WITHOUT ROWID;
CREATE TABLE dataset_marks (
  dataset INTEGER NOT NULL REFERENCES datasets (position) ON DELETE CASCADE,
  row INTEGER NOT NULL,
  state TEXT NOT NULL,
  profile_id TEXT,
  run_id TEXT,
  PRIMARY KEY (dataset, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX dataset_marks_free ON dataset_marks (dataset, row) WHERE state = 'free';
CREATE INDEX dataset_marks_of_profile ON dataset_marks (profile_id) WHERE profile_id IS NOT NULL;
CREATE INDEX dataset_marks_of_run ON dataset_marks (run_id) WHERE run_id IS NOT NULL;
CREATE TABLE profile_datasets (
  profile_id TEXT NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  slot TEXT NOT NULL,
  dataset INTEGER NOT NULL REFERENCES datasets (position),
  PRIMARY KEY (profile_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_datasets_of_dataset ON profile_datasets (dataset)`;

const dslDocuments: Migration = `ALTER TABLE scripts ADD COLUMN document TEXT`;

const trash: Migration = `ALTER TABLE profiles ADD COLUMN trashed_at TEXT`;

const approvedSources: Migration = `
ALTER TABLE scripts ADD COLUMN approved_source TEXT;
UPDATE scripts SET approved_source = source WHERE approved_sha256 = sha256`;

/** `types` and `last` are JSON. */
const webhooks: Migration = `
CREATE TABLE webhooks (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  types TEXT,
  sealed BLOB NOT NULL,
  created_at TEXT NOT NULL,
  after INTEGER NOT NULL,
  last TEXT
) STRICT`;

/** `fleet_profiles`: profiles whose newest files are in the fleet's archive store, not here. */
const fleet: Migration = `
ALTER TABLE runs ADD COLUMN placement TEXT NOT NULL DEFAULT 'local';
CREATE TABLE fleet_profiles (
  profile_id TEXT PRIMARY KEY REFERENCES profiles (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID`;

/** In order: a database of version n has the first n. */
export const migrations: readonly Migration[] = [
  first,
  runKeys,
  devices,
  schedules,
  proxyPools,
  datasets,
  dslDocuments,
  trash,
  approvedSources,
  webhooks,
  fleet,
];
