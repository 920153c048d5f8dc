/** The budget of expensive calls: so many in a rolling window, for each token (protocol/README.md, "Limits"). */

import { type Clock, systemClock } from "../../actors/kernel/clock.ts";
import { limits } from "../../protocol/limits.ts";

/** Where a token stands after a call. */
export interface Standing {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until the oldest counted call leaves the window and one more is allowed. */
  resetSecs: number;
}

export interface Budget {
  /** Counts a call, unless the budget is spent. Null when the budget is switched off. */
  count(tokenName: string, max: number): Standing | null;
}

/** Counts in memory; a restart begins a new window. */
export function createBudget(clock: Clock = systemClock): Budget {
  const calls = new Map<string, number[]>();
  return {
    count(tokenName, max) {
      if (max === 0) return null;
      const now = clock.now();
      const since = now - limits.expensiveWindowMs;
      const recent = (calls.get(tokenName) ?? []).filter((at) => at > since);
      const allowed = recent.length < max;
      if (allowed) recent.push(now);
      calls.set(tokenName, recent);
      // With a lowered limit several may have to leave before the next is allowed.
      const leaving = recent[Math.max(0, recent.length - max)] ?? now;
      const resetMs = leaving + limits.expensiveWindowMs - now;
      return {
        allowed,
        limit: max,
        remaining: Math.max(0, max - recent.length),
        resetSecs: Math.max(1, Math.ceil(resetMs / 1000)),
      };
    },
  };
}
