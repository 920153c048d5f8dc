/** The pool's capacity as one word of memory that its thread writes and the gateway reads: asking the pool would be a hop there and back. */
import type { Capacity } from "./records.ts";

/** Bits of each number: more than any pool has browsers, or launches that wait for one. */
const bits = 21n;
const mask = (1n << bits) - 1n;

/** Memory of one word; all three numbers are 0. */
export function createCapacityWord(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigUint64Array.BYTES_PER_ELEMENT);
}

/** Replaces all three numbers at once, for every thread. */
export function writeCapacity(word: SharedArrayBuffer, { active, max, queued }: Capacity): void {
  const packed = (BigInt(active) << (2n * bits)) | (BigInt(max) << bits) | BigInt(queued);
  Atomics.store(new BigUint64Array(word), 0, packed);
}

/** The three numbers as they were at one moment. */
export function readCapacity(word: SharedArrayBuffer): Capacity {
  const packed = Atomics.load(new BigUint64Array(word), 0);
  return {
    active: Number(packed >> (2n * bits)),
    max: Number((packed >> bits) & mask),
    queued: Number(packed & mask),
  };
}
