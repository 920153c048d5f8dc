/** Slots: who may have a browser, and who waits for one. A slot is freed by the exit of its process, never by bookkeeping. */
import { Fault } from "../../protocol/faults.ts";

interface Waiter {
  profileId: string;
  grant(): void;
  refuse(fault: Fault): void;
}

/** A closed set of slot holders, and a line of waiters in the order they came. */
export class Slots {
  readonly #holders = new Set<string>();
  readonly #waiters: Waiter[] = [];
  /** Holders that have waited for their slot, and whose browser is not about to end. */
  readonly #working = new Set<string>();
  readonly #changed: (slots: Slots) => void;
  readonly #hasRoom: (working: number) => boolean;
  #max: number;

  /**
   * `changed` is told at once, and after every change of the numbers below. `hasRoom` is asked before a waiter gets a free slot,
   * with how many waiters have one already; after a no somebody calls `grant`.
   */
  constructor(
    max: number,
    changed: (slots: Slots) => void = () => {},
    hasRoom: (working: number) => boolean = () => true,
  ) {
    this.#max = max;
    this.#changed = changed;
    this.#hasRoom = hasRoom;
    changed(this);
  }

  get max(): number {
    return this.#max;
  }

  get active(): number {
    return this.#holders.size;
  }

  get queued(): number {
    return this.#waiters.length;
  }

  /** Takes a slot at once, also before those who wait for room. Throws `conflict` when every slot is held. */
  take(profileId: string): void {
    if (this.#holders.size >= this.#max) {
      throw new Fault(
        "conflict",
        `the browser pool is full: ${this.#holders.size} of ${this.#max} browsers run and ${this.#waiters.length} launches wait; stop a profile first`,
      );
    }
    this.#holders.add(profileId);
    this.#changed(this);
  }

  /** Takes a slot when it is this caller's turn. */
  wait(profileId: string): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.push({ profileId, grant: resolve, refuse: reject });
      this.grant();
    });
  }

  /** Takes a waiter out of the line. */
  cancel(profileId: string, fault: Fault): void {
    const at = this.#waiters.findIndex((waiter) => waiter.profileId === profileId);
    if (at < 0) return;
    this.#waiters.splice(at, 1)[0]?.refuse(fault);
    this.#changed(this);
  }

  /** The holder's browser is about to end: it keeps its slot, and its work is another's. */
  leaving(profileId: string): void {
    if (this.#working.delete(profileId)) this.grant();
  }

  /** The holder's process is gone. */
  free(profileId: string): void {
    this.#holders.delete(profileId);
    this.#working.delete(profileId);
    this.grant();
  }

  /** A lower `max` ends no browser; it only holds back the next. */
  setMax(max: number): void {
    this.#max = max;
    this.grant();
  }

  /** Refuses all who wait. */
  close(fault: Fault): void {
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(fault);
    this.#changed(this);
  }

  /** Gives free slots to those who wait, as far as there is room. */
  grant(): void {
    while (this.#holders.size < this.#max && this.#waiters.length > 0 && this.#hasRoom(this.#working.size)) {
      const next = this.#waiters.shift();
      if (next === undefined) break;
      this.#holders.add(next.profileId);
      this.#working.add(next.profileId);
      next.grant();
    }
    this.#changed(this);
  }
}
