/** The ledger in PostgreSQL, as the head uses it. */
import { Fault } from "../../protocol/faults.ts";
import type { StoredArchive } from "../../protocol/fleet.ts";
import type { HeadLedger, News, PartKey } from "./ledger.ts";
import type { Postgres, Row, Sql } from "./postgres.ts";
import { channels } from "./worker-ledger.ts";

const newsAtOnce = 100;
const notify = (to: keyof typeof channels) => `pg_notify('${channels[to]}', '')`;
const ofPart = "run_id = $1 AND profile_id = $2";
const valuesOf = ({ runId, profileId }: PartKey) => [runId, profileId];

function archiveOf(row: Row): StoredArchive | null {
  const { archive, sha256, bytes } = row;
  return archive === null ? null : { key: String(archive), sha256: String(sha256), bytes: Number(bytes) };
}

function newsOf(row: Row): News {
  return {
    runId: String(row.run_id),
    profileId: String(row.profile_id),
    state: row.state as News["state"],
    begun: row.begun_at !== null,
    ending: row.ending as News["ending"],
    outcome: row.outcome as Uint8Array | null,
    epoch: row.epoch === null ? null : Number(row.epoch),
  };
}

export function createHeadLedger(postgres: Postgres): HeadLedger {
  return {
    async profile(profileId) {
      const [row] = await postgres.all("SELECT * FROM troupe_fleet.profile WHERE profile_id = $1", [
        profileId,
      ]);
      return row === undefined ? null : { home: row.home === true, archive: archiveOf(row) };
    },
    async give(profileId, { archive, platform, engine, label, proxied }) {
      const [row] = await postgres.all(
        `WITH old AS (SELECT archive FROM troupe_fleet.profile WHERE profile_id = $1),
         given AS (INSERT INTO troupe_fleet.profile AS f
             (profile_id, epoch, home, archive, sha256, bytes, archive_epoch, platform, engine, label, proxied)
           VALUES ($1, 1, false, $2, $3, $4, 1, $5, $6, $7, $8)
           ON CONFLICT (profile_id) DO UPDATE SET epoch = f.epoch + 1, home = false, proxied = $8,
             archive = coalesce($2, f.archive), sha256 = coalesce($3, f.sha256), bytes = coalesce($4, f.bytes),
             archive_epoch = CASE WHEN $2::text IS NULL THEN f.archive_epoch ELSE f.epoch + 1 END,
             platform = CASE WHEN $2::text IS NULL THEN f.platform ELSE $5 END,
             engine = CASE WHEN $2::text IS NULL THEN f.engine ELSE $6 END,
             label = CASE WHEN $2::text IS NULL THEN f.label ELSE $7 END, last_worker = NULL
           WHERE f.home RETURNING 1)
         SELECT (SELECT archive FROM old) AS replaced, (SELECT count(*) FROM given) AS given`,
        [
          profileId,
          archive?.key ?? null,
          archive?.sha256 ?? null,
          archive?.bytes ?? null,
          platform,
          engine,
          label,
          proxied,
        ],
      );
      const replaced = (row?.replaced as string | null | undefined) ?? null;
      return { replaced: archive === null || replaced === archive.key ? null : replaced };
    },
    async publish(part, spec) {
      const rows = await postgres.all(
        `WITH f AS (SELECT profile_id FROM troupe_fleet.profile WHERE profile_id = $2 AND NOT home FOR SHARE),
         made AS (INSERT INTO troupe_fleet.part (run_id, profile_id, state, spec)
           SELECT $1, profile_id, 'queued', $3 FROM f ON CONFLICT (run_id, profile_id) DO NOTHING RETURNING ${notify("work")})
         SELECT (SELECT count(*) FROM f) + (SELECT count(*) FROM made) * 0 AS away`,
        [...valuesOf(part), spec],
      );
      return Number(rows[0]?.away) > 0;
    },
    async abort(part, reason) {
      const rows = await postgres.all(
        `UPDATE troupe_fleet.part SET abort = coalesce(abort, $3), noted = false,
           ending = CASE WHEN state = 'queued' THEN 'skipped' ELSE ending END,
           state = CASE WHEN state = 'queued' THEN 'ended' ELSE state END
         WHERE ${ofPart} RETURNING ${notify("head")}`,
        [...valuesOf(part), reason],
      );
      return rows.length > 0;
    },
    async news() {
      const rows = await postgres.all(
        "SELECT * FROM troupe_fleet.part WHERE NOT noted AND state IN ('begun', 'ended') ORDER BY state DESC, queued_at LIMIT $1",
        [newsAtOnce],
      );
      return rows.map(newsOf);
    },
    async noted(part) {
      await postgres.all(
        `UPDATE troupe_fleet.part SET noted = true WHERE ${ofPart} AND state = 'begun'`,
        valuesOf(part),
      );
    },
    async taken(part) {
      await postgres.all(`DELETE FROM troupe_fleet.part WHERE ${ofPart} AND state = 'ended'`, valuesOf(part));
    },
    takeHome: (profileId) =>
      postgres.transaction(async (sql) => {
        const [row] = await sql.all("SELECT * FROM troupe_fleet.profile WHERE profile_id = $1 FOR UPDATE", [
          profileId,
        ]);
        if (row === undefined) return null;
        if (row.home !== true) {
          await refuseHeld(sql, profileId, row);
          await sql.all(
            "UPDATE troupe_fleet.profile SET home = true, epoch = epoch + 1 WHERE profile_id = $1",
            [profileId],
          );
        }
        return archiveOf(row);
      }),
    async atHome(profileId) {
      await postgres.all(
        "UPDATE troupe_fleet.profile SET archive = NULL, sha256 = NULL, bytes = NULL WHERE profile_id = $1 AND home",
        [profileId],
      );
    },
  };
}

/** Throws `conflict`. The caller has the profile's row locked. */
async function refuseHeld(sql: Sql, profileId: string, { holder, held_since }: Row): Promise<void> {
  if (holder !== null) {
    const [worker] = await sql.all("SELECT name FROM troupe_fleet.worker WHERE session = $1", [holder]);
    const since = held_since instanceof Date ? held_since.toISOString() : String(held_since);
    throw new Fault(
      "conflict",
      `the worker ${worker?.name} has had profile ${profileId} since ${since}; wait until its part ends, or cancel the run`,
    );
  }
  const [part] = await sql.all(
    "SELECT run_id FROM troupe_fleet.part WHERE profile_id = $1 AND state <> 'ended'",
    [profileId],
  );
  if (part !== undefined)
    throw new Fault(
      "conflict",
      `profile ${profileId} waits in the fleet for run ${part.run_id}; cancel the run, or wait until it has ended`,
    );
}
