/** Virtual time, and processes that can be stopped, continued and killed in it. */

/** What happens to a process while it is stopped comes when it continues. */
export interface Process {
  life: number;
  state: "runs" | "stopped" | "dead";
  deferred: (() => void)[];
}

export const newProcess = (): Process => ({ life: 0, state: "runs", deferred: [] });

type Act = () => void | Promise<void>;

export class VirtualTime {
  now = 0;
  #order = 0;
  readonly #queue: { at: number; order: number; act: Act }[] = [];

  at(ms: number, act: Act): void {
    this.#order += 1;
    this.#queue.push({ at: this.now + ms, order: this.#order, act });
  }

  /** Runs what is due, in order, until `isOver`. */
  async run(isOver: (now: number) => boolean): Promise<void> {
    for (let next = this.#next(); next !== null && !isOver(next.at); next = this.#next()) {
      this.now = next.at;
      await next.act();
    }
  }

  #next() {
    let first = 0;
    for (const [index, one] of this.#queue.entries()) {
      const best = this.#queue[first];
      if (best === undefined || one.at < best.at || (one.at === best.at && one.order < best.order))
        first = index;
    }
    return this.#queue.splice(first, 1)[0] ?? null;
  }
}

/** Runs `act` in the process: later if it is stopped, never if that life of it has ended. */
export function within(process: Process, act: Act): Act {
  const { life } = process;
  return () => {
    if (process.life !== life || process.state === "dead") return;
    if (process.state === "stopped") {
      process.deferred.push(() => void act());
      return;
    }
    return act();
  };
}

export function kill(process: Process): void {
  process.state = "dead";
  process.life += 1;
  process.deferred = [];
}

/** What was deferred comes in the given order, or turned round. */
export function goOn(process: Process, turned: boolean): void {
  process.state = "runs";
  const deferred = process.deferred.splice(0);
  for (const act of turned ? deferred.reverse() : deferred) act();
}
