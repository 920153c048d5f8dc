/** Whether this service is the head of a fleet: where new runs go, and how it leaves. */
import { Fault } from "../../protocol/faults.ts";
import type { FleetLeaving } from "../../protocol/fleet.ts";
import type { RunsApi } from "../../protocol/messages/runs.ts";
import type { Placement } from "../../protocol/scalars.ts";
import type { Head } from "./fleet-head.ts";

export interface Membership {
  /** Null: no fleet, or not any more. */
  readonly head: Head | null;
  join(joined: Head): void;
  /** Of a new run; empty: it is local. Throws `invalid`. */
  placement(asked: Placement | undefined): { placement?: "fleet" };
  /** Throws `conflict` without a fleet, and as the head does. */
  bringHome(profileId: string): Promise<null>;
  /** `inFleet` waits until no run is being created, and returns those that are in the fleet. Throws as RunsApi.leaveFleet. */
  leave(drain: boolean, inFleet: () => Promise<string[]>): Promise<FleetLeaving>;
}

export function createMembership(): Membership {
  let head: Head | null = null;
  /** New runs stay on this machine. */
  let leaving = false;
  return {
    get head() {
      return head;
    },
    join(joined) {
      head = joined;
    },
    placement(asked) {
      if (asked === "fleet" && head === null)
        throw new Fault("invalid", "placement fleet needs a fleet; begin one with: troupe fleet on");
      if (asked === "fleet" && leaving)
        throw new Fault(
          "invalid",
          "the fleet is being switched off; omit placement, or start the service again to keep the fleet",
        );
      return asked === undefined || asked === "local" || head === null || leaving
        ? {}
        : { placement: "fleet" };
    },
    async bringHome(profileId) {
      if (head === null)
        throw new Fault(
          "conflict",
          `the newest files of profile ${profileId} are in the fleet, which is off; switch it on: troupe fleet on`,
        );
      await head.bringHome(profileId.toLowerCase());
      return null;
    },
    async leave(drain, inFleet) {
      const leaver = head;
      if (leaver === null)
        throw new Fault(
          "conflict",
          "the service has not been in its fleet yet; start it again, then try again",
        );
      const before = leaving;
      leaving = true;
      try {
        const runs = await inFleet();
        if (runs.length > 0 && !drain) throw stillThere(runs);
        if (runs.length > 0) return { left: false, runs: runs.length, away: 0, waits: null };
        const state = await leaver.leave();
        if (state.left && head === leaver) {
          head = null;
          leaving = false;
          await leaver.close();
        }
        return { ...state, runs: 0 };
      } catch (error) {
        leaving = before;
        throw error;
      }
    },
  };
}

/** What a head answers for the service. */
export function fleetCalls(
  fleet: Membership,
): Pick<RunsApi, "logInFleet" | "fleetStatus" | "drainMachine" | "fleetHealth" | "bringHome"> {
  return {
    logInFleet: async ({ runId, profileId, after }) =>
      (await fleet.head?.log({ runId: runId.toLowerCase(), profileId }, after)) ?? null,
    fleetStatus: async () => (await fleet.head?.status()) ?? null,
    async drainMachine({ name, draining }) {
      if (fleet.head === null) throw new Fault("conflict", "this service has no fleet");
      await fleet.head.drain(name, draining);
      return null;
    },
    fleetHealth: async () => (await fleet.head?.health()) ?? null,
    bringHome: ({ profileId }) => fleet.bringHome(profileId),
  };
}

function stillThere(runIds: readonly string[]): Fault {
  const [first] = runIds;
  const what =
    runIds.length === 1
      ? `run ${first} is in the fleet`
      : `${runIds.length} runs are in the fleet, ${first} among them`;
  return new Fault(
    "conflict",
    `${what}; cancel what should not go on, or wait for the end with: troupe fleet off --drain`,
  );
}
