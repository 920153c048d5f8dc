/** Slots: who may have a browser and who waits, by kind, then by turns between owners. Only the exit of a process frees a slot. */
import { Fault } from "../../protocol/faults.ts";
import type { RunKind } from "../../protocol/messages/pool.ts";

/** Who goes first. A launch by a call is not delayed because cores are busy. */
const kinds = ["launch", "run", "schedule", "batch"] as const satisfies readonly (RunKind | "launch")[];
type Kind = (typeof kinds)[number];

interface Waiter {
  profileId: string;
  owner: string;
  kind: Kind;
  grant(): void;
  refuse(fault: Fault): void;
}

export class Slots {
  readonly #holders = new Set<string>();
  readonly #waiters: Waiter[] = [];
  /** When each owner last got a slot from the queue, while anybody waits. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  /** Holders that came from the queue for a run, and whose browser is not ending. */
  readonly #working = new Set<string>();
  readonly #changed: (slots: Slots) => void;
  readonly #admits: (working: number) => boolean;
  readonly #short: () => Fault | null;
  #max: number;

  /**
   * `changed` is called now and after every change. `admits` decides whether a free slot goes to a run, given the number of working
   * holders; `short` says why no slot may be taken although one is free. After a no of either, the caller must call `grant`.
   */
  constructor(
    max: number,
    changed: (slots: Slots) => void = () => {},
    admits: (working: number) => boolean = () => true,
    short: () => Fault | null = () => null,
  ) {
    this.#max = max;
    this.#changed = changed;
    this.#admits = admits;
    this.#short = short;
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

  #full(others = this.#waiters.length): Fault {
    return new Fault(
      "conflict",
      `the browser pool is full: ${this.#holders.size} of ${this.#max} browsers run and ${others} launches wait; stop a profile first, or launch with wait_ms`,
    );
  }

  /** Of a launch that has waited. */
  #stillNone(ms: number): Fault {
    const { message, detail } = this.#whyNone() ?? this.#full(this.#waiters.length - 1);
    return new Fault("conflict", `${message}; it waited ${ms} ms`, detail);
  }

  #whyNone(): Fault | null {
    return this.#holders.size < this.#max ? this.#short() : this.#full();
  }

  /** Takes a slot at once, ahead of the queue. Throws `conflict` if all slots are taken or memory is short. */
  take(profileId: string): void {
    const why = this.#whyNone();
    if (why !== null) throw why;
    this.#holders.add(profileId);
    this.#changed(this);
  }

  wait(profileId: string, owner = "", kind: Kind = "batch"): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiters.push({ profileId, owner, kind, grant: resolve, refuse: reject });
      this.grant();
    });
  }

  /** Takes a slot at once if there is one and no other launch waits, else in its turn. Throws as `take` when none was free in time. */
  async waitAtMost(profileId: string, ms: number, owner?: string): Promise<void> {
    const first = !this.#waiters.some(({ kind }) => kind === "launch");
    if (first && this.#whyNone() === null) return this.take(profileId);
    const late = setTimeout(() => this.cancel(profileId, this.#stillNone(ms)), ms);
    try {
      await this.wait(profileId, owner, "launch");
    } finally {
      clearTimeout(late);
    }
  }

  cancel(profileId: string, fault: Fault): void {
    const at = this.#waiters.findIndex((waiter) => waiter.profileId === profileId);
    if (at < 0) return;
    this.#waiters.splice(at, 1)[0]?.refuse(fault);
    this.#changed(this);
  }

  /** The holder's browser is ending: it keeps the slot, but no longer counts as working. */
  leaving(profileId: string): void {
    if (this.#working.delete(profileId)) this.grant();
  }

  free(profileId: string): void {
    this.#holders.delete(profileId);
    this.#working.delete(profileId);
    this.grant();
  }

  setMax(max: number): void {
    this.#max = max;
    this.grant();
  }

  close(fault: Fault): void {
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(fault);
    this.#changed(this);
  }

  /** Of the first kind that waits, the first of the owner who got none for the longest time, so that one owner's many do not delay another's one. */
  #next(): Waiter | undefined {
    const kind = kinds.find((one) => this.#waiters.some((waiter) => waiter.kind === one));
    const waiters = this.#waiters.filter((waiter) => waiter.kind === kind);
    const lastTurns = waiters.map(({ owner }) => this.#turns.get(owner) ?? 0);
    return waiters[lastTurns.indexOf(Math.min(...lastTurns))];
  }

  grant(): void {
    for (;;) {
      const next = this.#next();
      if (next === undefined || this.#whyNone() !== null) break;
      if (next.kind !== "launch" && !this.#admits(this.#working.size)) break;
      this.#waiters.splice(this.#waiters.indexOf(next), 1);
      this.#turn += 1;
      if (this.#waiters.length > 0) this.#turns.set(next.owner, this.#turn);
      else this.#turns.clear();
      this.#holders.add(next.profileId);
      if (next.kind !== "launch") this.#working.add(next.profileId);
      next.grant();
    }
    this.#changed(this);
  }
}
