/** What health and metrics say of the fleet: one question to PostgreSQL at a time, whoever asks, and no long wait for it. */
import { faultRecord } from "../../protocol/faults.ts";
import { type FleetHealth, fleetLimits } from "../../protocol/fleet.ts";
import type { Sql } from "../fleet/postgres.ts";
import { readFigures } from "../fleet/status.ts";
import type { Clock } from "../kernel/clock.ts";

/** Never rejects. */
export function createFigures(sql: Sql, clock: Clock): () => Promise<FleetHealth> {
  let asking: Promise<FleetHealth> | null = null;
  const ask = () => {
    asking ??= readFigures(sql)
      .then(
        (figures): FleetHealth => ({ figures, trouble: null }),
        (error: unknown): FleetHealth => ({ figures: null, trouble: faultRecord(error).message }),
      )
      .finally(() => {
        asking = null;
      });
    return asking;
  };
  return () =>
    new Promise((resolve) => {
      const late = clock.timer(fleetLimits.figuresMs, () =>
        resolve({ figures: null, trouble: "PostgreSQL does not answer" }),
      );
      ask()
        .then((health) => {
          late.cancel();
          resolve(health);
        })
        .catch(() => {}); // Its failures are answers.
    });
}
