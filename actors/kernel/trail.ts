/** What a piece of work belongs to, for the log. It follows calls through all threads. */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Trail {
  /** The request that began it. */
  request?: string;
  run?: string;
  profile?: string;
}

const trails = new AsyncLocalStorage<Trail | undefined>();

/** Undefined outside any request or run. */
export function currentTrail(): Trail | undefined {
  return trails.getStore();
}

/** Runs `work`, and what it starts, on `trail` alone: a port's messages would otherwise follow the call that made the port. */
export function onTrail<T>(trail: Trail | undefined, work: () => T): T {
  return trail === trails.getStore() ? work() : trails.run(trail, work);
}

/** As `onTrail`, beside what the current trail has. */
export function alongTrail<T>(more: Trail, work: () => T): T {
  return trails.run({ ...trails.getStore(), ...more }, work);
}
