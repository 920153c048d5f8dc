/** A batch: what one fdatasync will cover, and the promise that everyone who waits for it shares. */
import type { Fault } from "../protocol/faults.ts";

export interface Batch {
  /** Encoded transactions and seals, in order. */
  entries: string[];
  durable: Promise<void>;
  resolve(): void;
  reject(fault: Fault): void;
}

export function newBatch(): Batch {
  let resolve = () => {};
  let reject: (fault: Fault) => void = () => {};
  const durable = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  durable.catch(() => {}); // A batch that nobody waits for must not end the thread when it fails.
  return { entries: [], durable, resolve, reject };
}
