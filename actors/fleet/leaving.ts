/** The end of a fleet: its tables are removed when nothing is in them any more. */
import { Fault } from "../../protocol/faults.ts";
import type { PartKey } from "./ledger.ts";
import type { Postgres, Sql } from "./postgres.ts";

/** Also of runs that the library does not know any more. */
export async function openParts(sql: Sql): Promise<PartKey[]> {
  const rows = await sql.all("SELECT run_id, profile_id FROM troupe_fleet.part WHERE state <> 'ended'");
  return rows.map(({ run_id, profile_id }) => ({ runId: String(run_id), profileId: String(profile_id) }));
}

/** The caller has every profile at home. Returns the archives that nobody needs any more. Throws `conflict`: what must end first. */
export function removeTables(postgres: Postgres): Promise<string[]> {
  return postgres.transaction(async (sql) => {
    // In the order in which a claim locks them.
    await sql.all(
      "LOCK TABLE troupe_fleet.worker, troupe_fleet.part, troupe_fleet.live_log, troupe_fleet.profile, troupe_fleet.fleet IN ACCESS EXCLUSIVE MODE",
    );
    const [left] = await sql.all(
      `SELECT (SELECT count(*) FROM troupe_fleet.part)::int AS parts,
         (SELECT count(*) FROM troupe_fleet.profile WHERE holder IS NOT NULL)::int AS held`,
    );
    if (Number(left?.parts) > 0)
      throw new Fault("conflict", `the outcomes of ${left?.parts} parts are not stored yet`);
    if (Number(left?.held) > 0)
      throw new Fault("conflict", `a worker still has ${left?.held} profiles; see: troupe fleet status`);
    const rows = await sql.all("SELECT archive FROM troupe_fleet.profile WHERE archive IS NOT NULL");
    await sql.all("DROP SCHEMA troupe_fleet CASCADE");
    return rows.map(({ archive }) => String(archive));
  });
}
