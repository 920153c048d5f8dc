/** A bounded queue that does one piece of work at a time, in the order it came. */
import { Fault } from "../../protocol/faults.ts";

interface Letter {
  start(): void;
  refuse(fault: Fault): void;
}

export class Mailbox {
  readonly #name: string;
  readonly #max: number;
  readonly #letters: Letter[] = [];
  #busy = false;
  #closed: Fault | null = null;

  /** `max`: letters that may wait, beside the one in hand. */
  constructor(name: string, max: number) {
    this.#name = name;
    this.#max = max;
  }

  /** Work that waits, beside the one in hand. */
  get waiting(): number {
    return this.#letters.length;
  }

  /** Runs `work` when its turn comes. Throws `conflict` when the box is full, and the closing fault when it is closed. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed !== null) return Promise.reject(this.#closed);
    if (this.#letters.length >= this.#max) {
      return Promise.reject(
        new Fault("conflict", `${this.#name} has ${this.#max} calls waiting; send fewer at once`),
      );
    }
    return new Promise<T>((resolve, reject) => {
      this.#letters.push({
        start: () => {
          // A rejection is the caller's; here it only ends the turn.
          work()
            .then(resolve, reject)
            .finally(() => this.#next());
        },
        refuse: reject,
      });
      if (!this.#busy) this.#next();
    });
  }

  /** Refuses what waits and what comes; the work in hand is its owner's to end. */
  close(fault: Fault): void {
    this.#closed = fault;
    for (const letter of this.#letters.splice(0)) letter.refuse(fault);
  }

  #next(): void {
    const letter = this.#letters.shift();
    this.#busy = letter !== undefined;
    letter?.start();
  }
}
