/** When a machine of the fleet must end its browsers, and when others may open them. Pure, so that a simulation can try every order of events. */
import { fleetLimits } from "../../protocol/fleet.ts";

/**
 * Whether a guard must end the browsers of its worker. `silentMs`: since the worker was about to send the last sign of life that
 * PostgreSQL has confirmed. `holding`: profiles that it has or is about to open.
 */
export function mustEnd(silentMs: number, holding: number): boolean {
  return holding > 0 && silentMs >= fleetLimits.guardMs;
}

export interface Watch {
  /** Sessions that may be expired, with the beat that they must still have then. */
  look(
    sessions: readonly { session: string; beat: number }[],
    now: number,
  ): { session: string; beat: number }[];
}

/**
 * Watches the signs of life of workers on the observer's own clock, because a wall clock, also the database's, can be set while they work.
 * A session is silent from when its last beat was first seen, which is later than it was sent.
 */
export function createWatch(lostMs: number = fleetLimits.lostMs): Watch {
  let seen = new Map<string, { beat: number; since: number }>();
  return {
    look(sessions, now) {
      const next = new Map<string, { beat: number; since: number }>();
      for (const { session, beat } of sessions) {
        const before = seen.get(session);
        next.set(session, before?.beat === beat ? before : { beat, since: now });
      }
      seen = next;
      return [...next].flatMap(([session, { beat, since }]) =>
        now - since >= lostMs ? [{ session, beat }] : [],
      );
    },
  };
}

/** How many parts a worker may claim. It claims none while a browser of its own waits: the pool then has no slot, or finds the cores busy. */
export function claimsNow(load: { max: number; active: number; queued: number; opening: number }): number {
  if (load.queued > 0) return 0;
  const free = load.max - load.active - load.opening;
  return Math.max(0, Math.min(free, fleetLimits.claimsAtOnce));
}

/** Why this machine's clock must not take part; null: it may. */
export function skewOf(here: number, there: number): string | null {
  const ms = here - there;
  if (Math.abs(ms) <= fleetLimits.clockSkewMsMax) return null;
  const secs = Math.round(Math.abs(ms) / 1000);
  return `this machine's clock is ${secs} s ${ms > 0 ? "ahead of" : "behind"} PostgreSQL's, and cookies would expire wrongly; set it`;
}
