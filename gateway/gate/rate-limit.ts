/** The budget of expensive calls per token, in a rolling window (protocol/README.md, "Limits"). */

import { type Clock, systemClock } from "../../actors/kernel/clock.ts";
import { limits } from "../../protocol/limits.ts";

export interface Standing {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until one more call is allowed. */
  resetSecs: number;
}

export interface Budget {
  /** Counts a call that the budget allows. Null: the budget is off. */
  count(tokenName: string, max: number): Standing | null;
}

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
      // After the limit was lowered, several calls must leave the window first.
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
