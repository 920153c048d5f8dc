/** Switching the fleet off: fetches every profile, then removes the fleet's tables. Each call does a part of it, and any number of calls does no harm. */
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { type FleetLeaving, fleetLimits } from "../../protocol/fleet.ts";
import { openParts, removeTables } from "../fleet/leaving.ts";
import { isLost } from "../fleet/object-store.ts";
import type { Postgres } from "../fleet/postgres.ts";
import { checkTables, hasTables } from "../fleet/schema.ts";
import { isAnswer } from "../kernel/insist.ts";
import { eachAtMost } from "../kernel/lanes.ts";
import { removeOld } from "./fleet-look.ts";
import type { HeadParts, Open } from "./fleet-outcomes.ts";

const fetchedAtOnce = 4;
const abandoned = "the fleet was switched off";

type Left = Omit<FleetLeaving, "runs">;

/** No run of the service is in the fleet. Throws `conflict` (the tables are gone, another service is the head, an archive is missing or damaged), `internal` (PostgreSQL or the store is away). */
export async function leaveFleet(
  postgres: Postgres,
  { config, ledger, archives, term }: Open,
  { library, log }: HeadParts,
  bringHome: (profileId: string) => Promise<void>,
): Promise<Left> {
  const { profileIds } = await library.profilesInFleet({});
  if (!(await hasTables(postgres))) return withoutTables(profileIds.length);
  await checkTables(postgres, config.headId);
  await term.hold("conflict");
  for (const part of await openParts(postgres)) await ledger.abort(part, abandoned);
  const { away, waits } = await fetchAll(profileIds, bringHome);
  if (away > 0) return { left: false, away, waits };
  let unused: string[];
  try {
    unused = await removeTables(postgres);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return { left: false, away: 0, waits: error.message };
  }
  for (const key of unused) await removeOld(archives, log, key);
  return { left: true, away: 0, waits: null };
}

/** An earlier call has removed them, or somebody else has. */
function withoutTables(away: number): Left {
  if (away === 0) return { left: true, away, waits: null };
  throw new Fault(
    "conflict",
    `the database has no fleet any more, and ${away} profiles are in it; restore the database, then try again`,
  );
}

/** Until the time of one call is over. A profile that a worker still has, or that is damaged, holds up no other. */
async function fetchAll(profileIds: readonly string[], bringHome: (profileId: string) => Promise<void>) {
  const until = performance.now() + fleetLimits.leavingMs;
  let away = profileIds.length;
  let waits: string | null = null;
  let lost: Fault | null = null;
  const fetch = async (profileId: string) => {
    try {
      await bringHome(profileId);
      away -= 1;
    } catch (error) {
      if (!isAnswer(error)) throw error;
      if (error.kind === "not-found")
        away -= 1; // Deleted for good meanwhile.
      else if (isLost(error)) lost ??= error;
      else if (error.kind === "conflict") waits = error.message;
      else lost ??= inWords(error, profileId);
    }
  };
  await eachAtMost(fetchedAtOnce, profileIds, async (profileId) => {
    if (performance.now() < until) await fetch(profileId);
  });
  if (lost !== null) throw lost;
  return { away, waits };
}

function inWords(error: Fault, profileId: string): Fault {
  const { message } = faultRecord(error);
  const remedy = "mend that, or delete the profile for good, then try again";
  return new Fault(error.kind, `profile ${profileId} cannot be fetched: ${message}; ${remedy}`);
}
