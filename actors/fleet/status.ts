/** What the fleet does now, for people. */
import { Fault } from "../../protocol/faults.ts";
import {
  type FleetFigures,
  type FleetMachineStatus,
  type FleetStatus,
  fleetLimits,
} from "../../protocol/fleet.ts";
import type { Sql } from "./postgres.ts";

const workersText = `
SELECT w.*, extract(epoch FROM now() - w.seen_at)::int AS silent,
  (SELECT count(*) FROM troupe_fleet.profile f WHERE f.holder = w.session)::int AS holds,
  (SELECT coalesce(json_agg(json_build_object('run_id', run_id, 'profile_id', profile_id, 'state', state)), '[]')
   FROM troupe_fleet.part p WHERE p.session = w.session AND p.state IN ('claimed', 'begun')) AS running
FROM troupe_fleet.worker w WHERE NOT lost ORDER BY name`;

const waitingText = `
WITH here AS (SELECT * FROM troupe_fleet.worker WHERE NOT lost AND NOT draining)
SELECT CASE
  WHEN NOT EXISTS (SELECT 1 FROM here) THEN 'for a machine: none is in the fleet, or all are drained'
  WHEN f.holder IS NOT NULL THEN 'until their profile''s files are stored'
  WHEN NOT EXISTS (SELECT 1 FROM here w WHERE w.platform = f.platform) THEN 'for a machine with ' || f.platform
  WHEN NOT EXISTS (SELECT 1 FROM here w WHERE w.platform = f.platform AND w.engine >= f.engine)
    THEN 'for a machine with Chromium ' || f.engine || ' or later'
  WHEN NOT f.proxied AND NOT EXISTS (SELECT 1 FROM here w WHERE w.platform = f.platform AND w.engine >= f.engine AND w.label = f.label)
    THEN 'for a machine with the label ' || f.label || ', because their profiles have no proxy'
  ELSE 'for a free slot' END AS why, count(*)::int AS count
FROM troupe_fleet.part p JOIN troupe_fleet.profile f USING (profile_id)
WHERE p.state = 'queued' GROUP BY 1 ORDER BY 2 DESC`;

export async function readStatus(sql: Sql): Promise<FleetStatus> {
  const workers = await sql.all(workersText);
  const states = await sql.all("SELECT state, count(*)::int AS count FROM troupe_fleet.part GROUP BY state");
  const waiting = await sql.all(waitingText);
  const [profiles] = await sql.all(
    "SELECT count(*)::int AS away, count(holder)::int AS held FROM troupe_fleet.profile WHERE NOT home",
  );
  const parts = { queued: 0, claimed: 0, begun: 0, ended: 0 };
  for (const { state, count } of states) Object.assign(parts, { [String(state)]: count });
  return {
    workers: workers.map((row) => ({
      name: String(row.name),
      label: String(row.label),
      platform: String(row.platform),
      troupe: String(row.troupe),
      engine: Number(row.engine),
      slots: Number(row.slots),
      holds: Number(row.holds),
      state: stateOf(row),
      draining: row.draining === true,
      running: row.running as FleetMachineStatus["running"],
    })),
    parts,
    waiting: waiting as FleetStatus["waiting"],
    profiles: profiles as FleetStatus["profiles"],
  };
}

const figuresText = `
SELECT (SELECT count(*) FROM troupe_fleet.part WHERE state = 'queued')::int AS waiting,
  (SELECT count(*) FROM troupe_fleet.part WHERE state IN ('claimed', 'begun'))::int AS leased,
  count(*)::int AS workers, coalesce(sum(slots), 0)::int AS slots,
  greatest(0, extract(epoch FROM now() - min(seen_at)))::int AS oldest
FROM troupe_fleet.worker WHERE NOT lost`;

export async function readFigures(sql: Sql): Promise<FleetFigures> {
  const [row] = await sql.all(figuresText);
  return {
    workers: Number(row?.workers),
    slots: Number(row?.slots),
    waiting: Number(row?.waiting),
    leased: Number(row?.leased),
    oldest_beat_secs: row?.workers === 0 ? null : Number(row?.oldest),
  };
}

function stateOf({ silent, draining, holds, trouble }: Record<string, unknown>): string {
  const secs = Number(silent);
  if (secs * 1000 > fleetLimits.guardMs) return `silent for ${secs} s`;
  const state = draining !== true ? "works" : Number(holds) > 0 ? "drains" : "is drained";
  return trouble === null ? state : `${state}, but ${trouble}`;
}

/** Throws `not-found`. */
export async function drainMachine(sql: Sql, name: string, draining: boolean): Promise<void> {
  const text = "UPDATE troupe_fleet.worker SET draining = $2 WHERE name = $1 AND NOT lost RETURNING 1";
  if ((await sql.all(text, [name, draining])).length === 0)
    throw new Fault("not-found", `no worker named ${name} is in the fleet; see: troupe fleet status`);
}
