/** What a piece of work belongs to, for the log. Calls take it to other threads. */
import { AsyncLocalStorage } from "node:async_hooks";
import { levelOf, logAreas } from "./log-levels.ts";

export interface Trail {
  /** The request that began it. */
  request?: string;
  run?: string;
}

/** A trail as JSON, because a text crosses threads faster than an object. */
export type TrailText = string;

const trails = new AsyncLocalStorage<TrailText | undefined>();

/** Undefined outside any request or run. */
export function currentTrail(): TrailText | undefined {
  return trails.getStore();
}

export function fieldsOf(trail: TrailText | undefined): Trail {
  return trail === undefined ? {} : JSON.parse(trail);
}

/** Requests have trails only at level debug of any area, because an `AsyncLocalStorage` slows every promise of a thread. */
export const followsCalls = () => logAreas.some((area) => levelOf(area) === "debug");
const follows = followsCalls();

/** Runs a call's `work`, and what it starts, on the call's trail and no other. */
export function followTrail<T>(trail: TrailText | undefined, work: () => T): T {
  return follows ? trails.run(trail, work) : work();
}

/** Runs `work`, and what it starts, on the current trail with `more`. */
export function alongTrail<T>(more: Trail, work: () => T): T {
  return trails.run(JSON.stringify({ ...fieldsOf(trails.getStore()), ...more }), work);
}
