/** A batch: the transactions that one fdatasync covers, and the promise that their callers share. */
import type { Fault } from "../protocol/faults.ts";

export interface Batch {
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
  durable.catch(() => {}); // A failed batch without waiting callers must not end the thread.
  return { entries: [], durable, resolve, reject };
}
