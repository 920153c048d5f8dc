/** A bounded queue that runs one task at a time, in order of arrival. */
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

  /** `max`: how many tasks may wait besides the running one. */
  constructor(name: string, max: number) {
    this.#name = name;
    this.#max = max;
  }

  get waiting(): number {
    return this.#letters.length;
  }

  /** Runs `work` in its turn. Throws `conflict` when the queue is full, and the closing fault when it is closed. */
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
          // Async, so that work that throws synchronously ends its turn too.
          (async () => work())()
            .then(resolve, reject)
            .finally(() => this.#next());
        },
        refuse: reject,
      });
      if (!this.#busy) this.#next();
    });
  }

  /** Refuses waiting and later tasks with `fault`. The owner ends the running task. */
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
