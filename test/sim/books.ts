/** What must be true of the library's tables after every transaction. Each check returns a violation, or null. */
import type { Reader, Row } from "../../storage/sqlite.ts";
import { absent } from "./facts.ts";

const num = (row: Row | undefined, name: string) => Number(row?.[name] ?? 0);

/** The counts of runs match their parts, and an ended run has no open part. */
export function runsAddUp(sql: Reader): string | null {
  const wrong = sql.first(
    `SELECT runs.id, runs.status, profiles_total, profiles_done, profiles_failed,
       count(part.profile_id) AS parts, sum(part.status = 'completed') AS completed, sum(part.status = 'failed') AS failed,
       sum(part.status IN ('waiting', 'running')) AS open
     FROM runs LEFT JOIN run_profiles AS part ON part.run_id = runs.id GROUP BY runs.id
     HAVING (parts > 0 AND (parts <> profiles_total OR completed <> profiles_done OR failed <> profiles_failed))
       OR (parts = 0 AND runs.status <> 'skipped')
       OR (runs.status <> 'running' AND open > 0)
       OR ((runs.status = 'running') <> (runs.completed_at IS NULL))
       OR (runs.status = 'completed' AND completed <> parts)
       OR (runs.status = 'partial' AND (completed = 0 OR completed = parts))
       OR (runs.status = 'failed' AND completed > 0)`,
  );
  return wrong === undefined ? null : `a run's counts do not match its parts: ${JSON.stringify(wrong)}`;
}

/** Each row of a dataset is in one state, and the dataset's counts match. */
export function rowsAreInOnePlace(sql: Reader): string | null {
  const wrong = sql.first(
    `SELECT id, mode, rows_total, rows_held, rows_used,
       (SELECT count(*) FROM dataset_rows WHERE dataset = position) AS there,
       (SELECT count(*) FROM dataset_marks WHERE dataset = position AND state = 'held') AS held,
       (SELECT count(*) FROM dataset_rows AS r LEFT JOIN dataset_marks AS m USING (dataset, row)
        WHERE dataset = position AND (m.state = 'used' OR (m.state IS NULL AND row < first_fresh))) AS used,
       (SELECT count(*) FROM dataset_marks AS m LEFT JOIN run_profiles AS part
          ON part.run_id = m.run_id AND part.profile_id = m.profile_id
        WHERE m.dataset = position AND m.state = 'held' AND mode = 'consume' AND part.status IS NOT 'running') AS forgotten,
       (SELECT count(*) FROM dataset_marks AS m LEFT JOIN profile_datasets AS slot
          ON slot.profile_id = m.profile_id AND slot.slot = 'identity' AND slot.dataset = m.dataset
        WHERE m.dataset = position AND m.state = 'held' AND mode = 'fixed' AND slot.profile_id IS NULL) AS astray
     FROM datasets
     WHERE rows_total <> there OR rows_held <> held OR rows_used <> used OR forgotten > 0 OR astray > 0`,
  );
  return wrong === undefined ? null : `a dataset's counts do not match its rows: ${JSON.stringify(wrong)}`;
}

/** Used rows are exactly those of completed parts, each once. `given` has rows by part, `reset` the datasets that were reset. */
export function usesAreCompletedParts(
  sql: Reader,
  given: ReadonlyMap<string, readonly string[]>,
  reset: ReadonlySet<string>,
): string | null {
  const uses = new Map<string, string>();
  for (const { part } of sql.all(
    "SELECT run_id || ' ' || profile_id AS part FROM run_profiles WHERE status = 'completed'",
  )) {
    for (const row of given.get(String(part)) ?? []) {
      const before = uses.get(row);
      const [dataset = ""] = row.split("/");
      if (before !== undefined && !reset.has(dataset))
        return `row ${row} was used by part ${before} and by part ${part}`;
      uses.set(row, String(part));
    }
  }
  const used = sql.all(
    `SELECT r.data ->> 0 AS tag FROM dataset_rows AS r JOIN datasets AS d ON d.position = r.dataset
     LEFT JOIN dataset_marks AS m USING (dataset, row)
     WHERE d.mode = 'consume' AND (m.state = 'used' OR (m.state IS NULL AND row < first_fresh))`,
  );
  const tags = new Set(used.map(({ tag }) => String(tag)));
  for (const tag of tags) if (!uses.has(tag)) return `row ${tag} is used, but no completed part received it`;
  for (const [row, part] of uses) {
    if (!tags.has(row) && !reset.has(row.split("/")[0] ?? ""))
      return `row ${row} of completed part ${part} is not used`;
  }
  return null;
}

export function factsIn(sql: Reader): Map<string, string> {
  const found = new Map<string, string>();
  const read = (prefix: string, query: string) => {
    for (const row of sql.all(query)) found.set(`${prefix}${row.key}`, String(row.value ?? absent));
  };
  read("profile ", "SELECT id AS key, iif(trashed_at IS NULL, 'there', 'trashed') AS value FROM profiles");
  read("token ", "SELECT name AS key, 'there' AS value FROM tokens");
  read("setting ", "SELECT name AS key, value FROM settings");
  read("schedule ", "SELECT id AS key, iif(next_run IS NULL, 'off', 'on') AS value FROM schedules");
  read("script ", "SELECT id AS key, source AS value FROM scripts");
  read("run ", "SELECT id AS key, 'there' AS value FROM runs");
  read("ended ", "SELECT id AS key, status AS value FROM runs WHERE status <> 'running'");
  read("row ", "SELECT data ->> 0 AS key, 'there' AS value FROM dataset_rows");
  read(
    "variables ",
    "SELECT profile_id AS key, group_concat(name ORDER BY name) AS value FROM variables GROUP BY profile_id",
  );
  return found;
}

export function changesOf(sql: Reader): number {
  return num(sql.first("SELECT total_changes() AS changes"), "changes");
}

export function isSound(sql: Reader): string | null {
  const opinion = sql.first("PRAGMA integrity_check");
  if (opinion?.integrity_check !== "ok") return `SQLite says ${JSON.stringify(opinion)}`;
  const broken = sql.first("PRAGMA foreign_key_check");
  return broken === undefined ? null : `a foreign key has no target: ${JSON.stringify(broken)}`;
}
