/** Virtual time: one queue holds everything that will happen. The simulation has no other clock. */

/** An actor's life, from its thread's start to its end. Its plans are dropped when it is over. */
export interface Life {
  name: string;
  over: boolean;
}

interface Entry {
  at: number;
  order: number;
  life: Life;
  act: () => void;
}

export class Timeline {
  readonly #queue: Entry[] = [];
  #now = 0;
  /** Difference between the wall clock and `now`. */
  #wallOffset: number;
  #order = 0;
  life: Life;

  constructor(wallMs: number, life: Life) {
    this.#wallOffset = wallMs;
    this.life = life;
  }

  /** Milliseconds since the start; only `freeze` and `step` move it. */
  get now(): number {
    return this.#now;
  }

  get wall(): number {
    return this.#now + this.#wallOffset;
  }

  setWall(byMs: number): void {
    this.#wallOffset += byMs;
  }

  /** Nothing runs for `ms`: everything due meanwhile is late. */
  freeze(ms: number): void {
    this.#now += ms;
  }

  /** Plans an act of `life`; the returned function cancels it. */
  after(ms: number, act: () => void, life = this.life): () => void {
    this.#order += 1;
    const entry = { at: this.#now + Math.max(0, ms), order: this.#order, life, act };
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#queue[middle];
      // Sorted in reverse, so that the next entry is cheap to remove.
      if (
        other !== undefined &&
        (other.at > entry.at || (other.at === entry.at && other.order > entry.order))
      )
        low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, entry);
    return () => {
      const at = this.#queue.indexOf(entry);
      if (at >= 0) this.#queue.splice(at, 1);
    };
  }

  step(until: number): Life | null {
    for (;;) {
      const next = this.#queue.at(-1);
      if (next === undefined || next.at > until) {
        this.#now = Math.max(this.#now, until);
        return null;
      }
      this.#queue.pop();
      if (next.life.over) continue;
      this.#now = Math.max(this.#now, next.at);
      this.life = next.life;
      next.act();
      return next.life;
    }
  }
}
