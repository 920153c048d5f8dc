/** The last entries of a log, in the order of their last change, with a cursor for readers. */

interface Kept<Entry> {
  entry: Entry;
  changed: number;
}

export interface Part<Entry> {
  entries: Entry[];
  /** Of the last one: give it to read on. */
  cursor: number;
}

export class Sequence<Entry extends object> {
  readonly #max: number;
  readonly #kept = new Map<Entry, Kept<Entry>>();
  #changes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds an entry, or moves a changed one to the end. Forgets the oldest. */
  note(entry: Entry): void {
    this.#changes += 1;
    this.#kept.delete(entry);
    this.#kept.set(entry, { entry, changed: this.#changes });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#max && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The first `limit` after `since` that fit; without `since` the last ones. */
  read(since: number | undefined, limit: number, fits: (entry: Entry) => boolean): Part<Entry> {
    const after = [...this.#kept.values()].filter(
      ({ entry, changed }) => changed > (since ?? 0) && fits(entry),
    );
    const part = since === undefined ? after.slice(-limit) : after.slice(0, limit);
    const isAll = since === undefined || part.length === after.length;
    return {
      entries: part.map(({ entry }) => entry),
      cursor: isAll ? this.#changes : (part.at(-1)?.changed ?? this.#changes),
    };
  }
}
