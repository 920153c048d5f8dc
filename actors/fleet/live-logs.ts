/** Log lines of scripts in the fleet while they run, only while somebody reads them. The outcome has the whole log in any case. */
import type { PartKey } from "./ledger.ts";
import type { Sql } from "./postgres.ts";

/** The last lines of a part's log, sealed, and the number of all lines so far. */
export interface LiveLog extends PartKey {
  sealed: Uint8Array;
  count: number;
}

export interface LiveLogs {
  /** Says that somebody reads these logs, and returns those that have more lines than `after`. */
  read(wishes: readonly (PartKey & { after: number })[]): Promise<LiveLog[]>;
  /** Of those that somebody reads; the others are not kept. */
  write(logs: readonly LiveLog[]): Promise<void>;
}

/** A worker's sign of life tells it whose logs were asked for since. */
export const wantedSecs = 15;

const readText = `
WITH asked AS (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS a (run_id, profile_id, after)),
open AS (SELECT p.run_id, p.profile_id FROM troupe_fleet.part p JOIN asked USING (run_id, profile_id)
  WHERE p.state IN ('claimed', 'begun') FOR KEY SHARE OF p),
wanted AS (INSERT INTO troupe_fleet.live_log (run_id, profile_id) SELECT DISTINCT run_id, profile_id FROM open
  ON CONFLICT (run_id, profile_id) DO UPDATE SET wanted_at = now())
SELECT DISTINCT l.run_id, l.profile_id, l.lines, l.count FROM troupe_fleet.live_log l JOIN asked USING (run_id, profile_id)
WHERE l.count > asked.after`;

const writeText = `
UPDATE troupe_fleet.live_log l SET lines = t.lines, count = t.count
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[]) AS t (run_id, profile_id, lines, count)
WHERE l.run_id = t.run_id AND l.profile_id = t.profile_id AND l.count < t.count`;

export function createLiveLogs(sql: Sql): LiveLogs {
  return {
    async read(wishes) {
      const columns = [
        wishes.map(({ runId }) => runId),
        wishes.map(({ profileId }) => profileId),
        wishes.map(({ after }) => after),
      ];
      const rows = await sql.all(readText, columns);
      return rows.map(({ run_id, profile_id, lines, count }) => ({
        runId: String(run_id),
        profileId: String(profile_id),
        sealed: lines as Uint8Array,
        count: Number(count),
      }));
    },
    async write(logs) {
      await sql.all(writeText, [
        logs.map(({ runId }) => runId),
        logs.map(({ profileId }) => profileId),
        logs.map(({ sealed }) => sealed),
        logs.map(({ count }) => count),
      ]);
    },
  };
}
