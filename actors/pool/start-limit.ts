/** Limits how many browsers start, or stop, at a time, because they share the cores and each has a time limit. */
import { type Clock, systemClock } from "../kernel/clock.ts";
import { withDeadline } from "../kernel/deadline.ts";

const briefMs = 5_000;

/** More that stop at once write at the same time, and take longer in all (bench/FINDINGS.md, "Ceilings"). */
export const stopsAtOnce = (launchesAtOnce: number): number => Math.ceil(launchesAtOnce / 4);

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

  /** As `pass`, but work that takes longer than `briefMs` no longer keeps others waiting: a stuck browser ends late. */
  async passBriefly<T>(work: () => Promise<T>, clock: Clock = systemClock): Promise<T> {
    const begun = await this.pass(async () => {
      const working = work();
      await withDeadline(working, briefMs, "the work", clock).catch(() => {});
      return { working };
    });
    return begun.working;
  }

  #letIn(): void {
    while (this.#holds === 0 && this.#free > 0 && this.#waiting.length > 0) {
      this.#free -= 1;
      this.#waiting.shift()?.();
    }
  }
}
