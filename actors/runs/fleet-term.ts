/** A head's time as the head of its fleet: it does nothing there while another service is the head. */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import { fleetLimits } from "../../protocol/fleet.ts";
import { type Moment, momentNow, msSince } from "../fleet/guard-line.ts";
import { createHeadship } from "../fleet/headship.ts";
import type { Sql } from "../fleet/postgres.ts";
import { sessionFileIn } from "./fleet-session.ts";

export interface Term {
  /** Throws this kind of fault while another service is the head: `internal` for what waits, `conflict` for what a user asked for. */
  hold(kind: "internal" | "conflict"): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

export function openTerm(sql: Sql, dataDir: string): Term {
  const session = randomUUID();
  const file = sessionFileIn(dataDir);
  const headship = createHeadship(sql, session);
  let begun = false;
  let held: Moment | null = null;
  return {
    async hold(kind) {
      if (held !== null && msSince(held) < fleetLimits.lookMs) return;
      const before = momentNow();
      const earlier = begun ? null : file.earlier();
      if (earlier !== null) await headship.resign(earlier);
      if (!begun) file.keep(session);
      begun = true;
      held = (await headship.keep(performance.now())) ? before : null;
      if (held === null) throw new Fault(kind, otherHead);
    },
    close: () => headship.resign(session).catch(() => {}), // Then the next head waits until this one counts as silent.
  };
}

const otherHead = `another service is the head of this fleet: this data directory, or that one's, is a copy; stop one of the two for good. If there is none, because this machine was restarted or the directory moved, wait ${fleetLimits.lostMs / 1000} s`;
