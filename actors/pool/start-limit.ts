/** Limits how many browsers start, or stop, at a time, because they share the cores and each has a time limit. */

export class StartLimit {
  #free: number;
  #holds = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = Math.max(1, width);
  }

  /** Runs `work` when there is room. After `work` calls `hold`, no other work starts until it has ended. */
  async pass<T>(work: (hold: () => void) => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#letIn();
    });
    let holds = 0;
    const hold = () => {
      this.#holds += 1 - holds;
      holds = 1;
    };
    try {
      return await work(hold);
    } finally {
      this.#holds -= holds;
      this.#free += 1;
      this.#letIn();
    }
  }

  #letIn(): void {
    while (this.#holds === 0 && this.#free > 0 && this.#waiting.length > 0) {
      this.#free -= 1;
      this.#waiting.shift()?.();
    }
  }
}
