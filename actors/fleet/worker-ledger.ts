/** The ledger in PostgreSQL, as workers use it. Each change is conditional on the lease, so a late one changes nothing. */
import { Fault } from "../../protocol/faults.ts";
import { fleetLimits, type StoredArchive } from "../../protocol/fleet.ts";
import type { ArchiveOrigin, Claim, Lease, PartKey, WorkerLedger } from "./ledger.ts";
import { wantedSecs } from "./live-logs.ts";
import type { Postgres, Row, Sql } from "./postgres.ts";

/** `work`: something can be claimed. `head`: something has begun or ended. */
export const channels = { work: "troupe_fleet_work", head: "troupe_fleet_head" } as const;
const notify = (to: keyof typeof channels) => `SELECT pg_notify('${channels[to]}', '')`;

const claimed = "p.run_id, p.profile_id, p.epoch, p.spec, f.archive, f.sha256, f.bytes";

/**
 * Locks the worker's own row, so that no expiry of the session can pass over a claim. Skips rows that another worker is claiming. The
 * machine that has the profile's files comes first, and for a while alone; parts of a machine that is gone are as near to all.
 */
const claimText = `
WITH me AS (SELECT * FROM troupe_fleet.worker WHERE session = $1 AND NOT lost AND NOT draining FOR SHARE),
others AS (SELECT w.name FROM troupe_fleet.worker w, me WHERE w.name <> me.name AND NOT w.lost AND NOT w.draining),
chosen AS (
  SELECT p.run_id, p.profile_id FROM me, troupe_fleet.part p JOIN troupe_fleet.profile f USING (profile_id)
    LEFT JOIN others ON others.name = f.last_worker
  WHERE p.state = 'queued' AND NOT f.home AND f.holder IS NULL
    AND f.platform = me.platform AND f.engine <= me.engine AND (f.proxied OR f.label = me.label)
    AND (others.name IS NULL OR p.queued_at < now() - $3 * interval '1 ms')
  ORDER BY others.name IS NULL DESC, p.queued_at LIMIT $2
  FOR NO KEY UPDATE OF p, f SKIP LOCKED),
f AS (
  UPDATE troupe_fleet.profile SET epoch = epoch + 1, holder = $1, held_since = now()
  WHERE profile_id IN (SELECT profile_id FROM chosen) RETURNING *)
UPDATE troupe_fleet.part p SET state = 'claimed', session = $1, epoch = f.epoch FROM f, chosen
WHERE p.run_id = chosen.run_id AND p.profile_id = chosen.profile_id AND f.profile_id = p.profile_id
RETURNING ${claimed}`;

const unansweredText = `
SELECT ${claimed} FROM troupe_fleet.part p JOIN troupe_fleet.profile f USING (profile_id)
WHERE p.session = $1 AND p.state = 'claimed' AND f.holder = $1
  AND NOT (p.run_id || ' ' || p.profile_id = ANY ($2::text[]))`;

const keyOf = ({ runId, profileId }: PartKey) => `${runId} ${profileId}`;
const ofLease = "run_id = $1 AND profile_id = $2 AND session = $3 AND epoch = $4";
const leaseValues = ({ runId, profileId, session, epoch }: Lease) => [runId, profileId, session, epoch];

function claimOf(row: Row): Claim {
  const { run_id, profile_id, epoch, spec, archive, sha256, bytes } = row;
  return {
    runId: String(run_id),
    profileId: String(profile_id),
    epoch: Number(epoch),
    spec: spec as Uint8Array,
    archive: { key: String(archive), sha256: String(sha256), bytes: Number(bytes) },
  };
}

/** Gives back what a session had. Statement by statement, so that each sees what was claimed before the session was marked. */
async function freeSession(sql: Sql, session: string): Promise<void> {
  await sql.all(
    `UPDATE troupe_fleet.part SET session = NULL, epoch = NULL, state = CASE WHEN abort IS NULL THEN 'queued' ELSE 'ended' END,
       ending = CASE WHEN abort IS NULL THEN NULL ELSE 'skipped' END WHERE session = $1 AND state = 'claimed'`,
    [session],
  );
  await sql.all(
    "UPDATE troupe_fleet.part SET state = 'ended', ending = 'interrupted', noted = false WHERE session = $1 AND state = 'begun'",
    [session],
  );
  await sql.all("UPDATE troupe_fleet.profile SET holder = NULL, held_since = NULL WHERE holder = $1", [
    session,
  ]);
  await sql.all(notify("work"));
  await sql.all(notify("head"));
}

async function release(
  postgres: Postgres,
  { profileId, session, epoch }: Lease,
  archive: (StoredArchive & ArchiveOrigin) | null,
): ReturnType<WorkerLedger["release"]> {
  const freed =
    archive === null
      ? "last_worker = last_worker"
      : `archive = $4, sha256 = $5, bytes = $6, archive_epoch = epoch, platform = $7, engine = $8, label = $9,
         last_worker = (SELECT name FROM troupe_fleet.worker WHERE session = $2)`;
  const values =
    archive === null
      ? []
      : [archive.key, archive.sha256, archive.bytes, archive.platform, archive.engine, archive.label];
  const [row] = await postgres.all(
    `WITH old AS MATERIALIZED (SELECT archive FROM troupe_fleet.profile WHERE profile_id = $1 FOR NO KEY UPDATE)
     UPDATE troupe_fleet.profile SET holder = NULL, held_since = NULL, ${freed} FROM old
     WHERE profile_id = $1 AND holder = $2 AND epoch = $3 RETURNING old.archive AS replaced, (${notify("work")})`,
    [profileId, session, epoch, ...values],
  );
  if (row === undefined) return { released: await isNewest(postgres, profileId, archive), replaced: null };
  const replaced = archive === null ? null : (row.replaced as string | null);
  return { released: true, replaced: replaced === archive?.key ? null : replaced };
}

/** An earlier try has stored it: keys have the epoch. */
async function isNewest(sql: Sql, profileId: string, archive: StoredArchive | null): Promise<boolean> {
  const text = "SELECT 1 FROM troupe_fleet.profile WHERE profile_id = $1 AND archive = $2";
  return archive !== null && (await sql.all(text, [profileId, archive.key])).length > 0;
}

export function createWorkerLedger(postgres: Postgres): WorkerLedger {
  const changed = async (text: string, values: unknown[]) =>
    (await postgres.all(`${text} RETURNING (${notify("head")})`, values)).length > 0;
  return {
    async join({ session, name, label, platform, engine, troupe, slots }) {
      await postgres.all("DELETE FROM troupe_fleet.worker WHERE lost AND seen_at < now() - interval '1 day'");
      const joined = await postgres.all(
        `INSERT INTO troupe_fleet.worker (session, name, label, platform, engine, troupe, slots)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING session`,
        [session, name, label, platform, engine, troupe, slots],
      );
      if (joined.length > 0) return;
      // It has joined, and the answer was lost.
      if (
        (await postgres.all("SELECT 1 FROM troupe_fleet.worker WHERE session = $1 AND NOT lost", [session]))
          .length > 0
      )
        return;
      const secs = fleetLimits.lostMs / 1000;
      throw new Fault(
        "conflict",
        `a worker named ${name} is in the fleet; give this one another --name, or wait ${secs} s if that one was killed or has moved here`,
      );
    },
    async beat(session, { slots, trouble }) {
      const [row] = await postgres.all(
        `WITH me AS (UPDATE troupe_fleet.worker SET beat = beat + 1, seen_at = now(), slots = $2, trouble = $3
           WHERE session = $1 AND NOT lost RETURNING draining)
         SELECT (SELECT draining FROM me) AS draining, extract(epoch FROM clock_timestamp()) * 1000 AS now,
           (SELECT coalesce(json_agg(json_build_object('runId', run_id, 'profileId', profile_id, 'reason', abort)), '[]')
            FROM troupe_fleet.part WHERE session = $1 AND state IN ('claimed', 'begun') AND abort IS NOT NULL) AS aborts,
           (SELECT coalesce(json_agg(json_build_object('runId', run_id, 'profileId', profile_id)), '[]')
            FROM troupe_fleet.live_log JOIN troupe_fleet.part p USING (run_id, profile_id)
            WHERE p.session = $1 AND p.state = 'begun' AND wanted_at > now() - $4 * interval '1 s') AS read`,
        [session, slots, trouble, wantedSecs],
      );
      return {
        lost: row?.draining === null,
        draining: row?.draining === true,
        aborts: row?.aborts as (PartKey & { reason: string })[],
        read: row?.read as PartKey[],
        now: Number(row?.now),
      };
    },
    async claim(session, most, known) {
      const unanswered = await postgres.all(unansweredText, [session, known.map(keyOf)]);
      if (unanswered.length > 0 || most === 0) return unanswered.map(claimOf);
      return (await postgres.all(claimText, [session, most, fleetLimits.affinityMs])).map(claimOf);
    },
    begin: (lease) =>
      changed(
        `UPDATE troupe_fleet.part SET state = 'begun', begun_at = coalesce(begun_at, now())
         WHERE ${ofLease} AND (state = 'begun' OR state = 'claimed' AND abort IS NULL)`,
        leaseValues(lease),
      ),
    unclaim: (lease) =>
      postgres.transaction(async (sql) => {
        const given = await sql.all(
          `UPDATE troupe_fleet.part SET session = NULL, epoch = NULL, state = CASE WHEN abort IS NULL THEN 'queued' ELSE 'ended' END,
             ending = CASE WHEN abort IS NULL THEN NULL ELSE 'skipped' END
           WHERE ${ofLease} AND state = 'claimed' RETURNING 1`,
          leaseValues(lease),
        );
        if (given.length === 0) return;
        await sql.all(
          "UPDATE troupe_fleet.profile SET holder = NULL, held_since = NULL WHERE profile_id = $1 AND holder = $2 AND epoch = $3",
          [lease.profileId, lease.session, lease.epoch],
        );
        await sql.all(notify("work"));
        await sql.all(notify("head"));
      }),
    async finish(lease, outcome) {
      const kept = await changed(
        `UPDATE troupe_fleet.part SET state = 'ended', ending = 'outcome', outcome = $5, noted = false
         WHERE ${ofLease} AND state IN ('claimed', 'begun')`,
        [...leaseValues(lease), outcome],
      );
      if (kept) return true;
      const before = await postgres.all(
        `SELECT 1 FROM troupe_fleet.part WHERE ${ofLease} AND ending = 'outcome'`,
        leaseValues(lease),
      );
      return before.length > 0;
    },
    release: (lease, archive) => release(postgres, lease, archive),
    async sessions() {
      const rows = await postgres.all("SELECT session, beat FROM troupe_fleet.worker WHERE NOT lost");
      return rows.map(({ session, beat }) => ({ session: String(session), beat: Number(beat) }));
    },
    expire: (session, beat) =>
      postgres.transaction(async (sql) => {
        const marked = await sql.all(
          "UPDATE troupe_fleet.worker SET lost = true WHERE session = $1 AND beat = $2 AND NOT lost RETURNING 1",
          [session, beat],
        );
        if (marked.length > 0) await freeSession(sql, session);
        return marked.length > 0;
      }),
    leave: (session) =>
      postgres.transaction(async (sql) => {
        await sql.all("UPDATE troupe_fleet.worker SET lost = true WHERE session = $1", [session]);
        await freeSession(sql, session);
      }),
  };
}
