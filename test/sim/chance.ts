/** All that is left to chance in one simulation, from its seed. */
import { createRandom } from "../seeded-random.ts";

export interface Chance {
  /** From 0 to 1, without 1. */
  next(): number;
  /** True that often. */
  is(share: number): boolean;
  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number;
  /** Mostly short, now and then long. */
  span(meanMs: number): number;
  /** Undefined of nothing. */
  of<T>(all: readonly T[]): T | undefined;
  /** Some of them, at least one if there is one. */
  some<T>(all: readonly T[], most: number): T[];
}

export function createChance(seed: number): Chance {
  const next = createRandom(Math.imul(seed + 1, 0x9e3779b1));
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const of = <T>(all: readonly T[]) => all[Math.floor(next() * all.length)];
  return {
    next,
    is: (share) => next() < share,
    between,
    span: (meanMs) => -Math.log(1 - next()) * meanMs,
    of,
    some(all, most) {
      const left = [...all];
      const count = Math.min(left.length, between(1, most));
      return Array.from({ length: count }, () => left.splice(Math.floor(next() * left.length), 1)).flat();
    },
  };
}
