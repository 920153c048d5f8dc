/** Which service is the fleet's head. A copy of its data directory is the head as well by all that it knows, and two heads would take each other's outcomes and profiles. */
import { fleetLimits } from "../../protocol/fleet.ts";
import type { Sql } from "./postgres.ts";
import { createWatch } from "./rules.ts";

export interface Headship {
  /** Becomes or stays the head. False: another session is, and has not been silent for long enough. Throws as PostgreSQL does. */
  keep(now: number): Promise<boolean>;
  /** Of a session that has ended: the next one need not wait. */
  resign(session: string): Promise<void>;
}

const takeText = `
UPDATE troupe_fleet.fleet SET head_session = $1, head_beat = head_beat + 1
WHERE head_session IS NULL OR head_session = $1 OR (head_session = $2 AND head_beat = $3) RETURNING 1`;

export function createHeadship(sql: Sql, session: string, lostMs: number = fleetLimits.lostMs): Headship {
  const watch = createWatch(lostMs);
  let silent: { session: string; beat: number } | null = null;
  return {
    async keep(now) {
      const taken = await sql.all(takeText, [session, silent?.session ?? null, silent?.beat ?? null]);
      if (taken.length > 0) return true;
      const [row] = await sql.all("SELECT head_session, head_beat FROM troupe_fleet.fleet");
      const other = { session: String(row?.head_session), beat: Number(row?.head_beat) };
      silent = watch.look([other], now)[0] ?? null;
      return false;
    },
    async resign(ended) {
      await sql.all("UPDATE troupe_fleet.fleet SET head_session = NULL WHERE head_session = $1", [ended]);
    },
  };
}
