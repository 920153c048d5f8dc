/** The state of the fleet, where this service is the head of one; elsewhere nobody is asked. */
import type { FleetHealth } from "../protocol/fleet.ts";
import type { RunsApi } from "../protocol/messages/runs.ts";

export interface FleetSource {
  runs: Pick<RunsApi, "fleetHealth">;
  isFleetHead(): boolean;
}

/** Null: the service is not the head of a fleet, or its thread starts again. */
export async function fleetHealth({ runs, isFleetHead }: FleetSource): Promise<FleetHealth | null> {
  return isFleetHead() ? runs.fleetHealth({}).catch(() => null) : null;
}
