/** Virtual time: all that will happen stands in one queue, and happens one after another. Nothing else in the simulation has a clock. */

/** An actor's life from its thread's start to its end; what it has planned does not happen any more once it is over. */
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
  /** What the wall clock shows beyond the time that has passed. */
  #wallOffset: number;
  #order = 0;
  /** Whose turn it is. */
  life: Life;

  constructor(wallMs: number, life: Life) {
    this.#wallOffset = wallMs;
    this.life = life;
  }

  /** Milliseconds since the beginning; only `freeze` and the turns of the queue move it. */
  get now(): number {
    return this.#now;
  }

  get wall(): number {
    return this.#now + this.#wallOffset;
  }

  /** The wall clock is set; timers have as long to wait as before. */
  setWall(byMs: number): void {
    this.#wallOffset += byMs;
  }

  /** The machine does nothing for a while: all that falls due meanwhile is late. */
  freeze(ms: number): void {
    this.#now += ms;
  }

  /** Plans what the life whose turn it is will do; the returned function takes it back. */
  after(ms: number, act: () => void, life = this.life): () => void {
    this.#order += 1;
    const entry = { at: this.#now + Math.max(0, ms), order: this.#order, life, act };
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#queue[middle];
      // The next to happen stands last, where it is cheap to take.
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

  /** Does what comes next, if it comes before `until`; answers whose turn it was. */
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
