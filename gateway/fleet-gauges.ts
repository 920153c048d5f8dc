/** Metrics of a fleet, on its head. A service without one has none of them. */
import type { Gauge } from "prom-client";
import type { FleetHealth } from "../protocol/fleet.ts";

type MakeGauge = (name: string, help: string, labels: string[]) => Gauge;

/** While PostgreSQL does not answer there are no figures, rather than those of before. */
export function createFleetGauges(gauge: MakeGauge): (fleet: FleetHealth | null) => void {
  const make = () => ({
    answers: gauge("answers", "Whether the fleet's PostgreSQL answers: 1, or 0.", ["of"]),
    workers: gauge("workers", "Workers in the fleet.", ["state"]),
    slots: gauge("slots", "Slots for browsers of all workers.", ["state"]),
    parts: gauge("parts", "Parts of runs in the fleet: those that wait, and those that a worker has.", [
      "state",
    ]),
    beat: gauge("beat_age_seconds", "Since the last sign of life of the worker whose one is the oldest.", [
      "of",
    ]),
  });
  let made: ReturnType<typeof make> | null = null;
  return (fleet) => {
    if (fleet === null && made === null) return;
    made ??= make();
    const { answers, workers, slots, parts, beat } = made;
    const figures = fleet?.figures ?? null;
    for (const one of Object.values(made)) one.reset();
    if (fleet !== null) answers.set({ of: "postgresql" }, figures === null ? 0 : 1);
    if (figures === null) return;
    workers.set({ state: "joined" }, figures.workers);
    slots.set({ state: "max" }, figures.slots);
    parts.set({ state: "waiting" }, figures.waiting);
    parts.set({ state: "leased" }, figures.leased);
    if (figures.oldest_beat_secs !== null) beat.set({ of: "oldest" }, figures.oldest_beat_secs);
  };
}
