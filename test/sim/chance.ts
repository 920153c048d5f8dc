/** All random decisions of one simulation, from its seed. */
import { createRandom } from "../seeded-random.ts";

export interface Chance {
  next(): number;
  is(share: number): boolean;
  between(low: number, high: number): number;
  /** Usually short, sometimes long. */
  span(meanMs: number): number;
  of<T>(all: readonly T[]): T | undefined;
  /** Up to `most` of them, at least one if there is one. */
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
