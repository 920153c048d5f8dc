/** The pool's capacity as one word of shared memory: the gateway reads it without a call to the pool's thread. */
import type { Capacity } from "./records.ts";

/** Bits of each number, enough for any pool. The last bit says that memory is short. */
const bits = 21n;
const mask = (1n << bits) - 1n;

export function createCapacityWord(): SharedArrayBuffer {
  return new SharedArrayBuffer(BigUint64Array.BYTES_PER_ELEMENT);
}

/** Replaces all at once, for every thread. */
export function writeCapacity(word: SharedArrayBuffer, capacity: Capacity): void {
  const { active, max, queued, memory_short } = capacity;
  const short = BigInt(memory_short) << (3n * bits);
  const packed = short | (BigInt(active) << (2n * bits)) | (BigInt(max) << bits) | BigInt(queued);
  Atomics.store(new BigUint64Array(word), 0, packed);
}

export function readCapacity(word: SharedArrayBuffer): Capacity {
  const packed = Atomics.load(new BigUint64Array(word), 0);
  return {
    active: Number((packed >> (2n * bits)) & mask),
    max: Number((packed >> bits) & mask),
    queued: Number(packed & mask),
    memory_short: packed >> (3n * bits) === 1n,
  };
}
