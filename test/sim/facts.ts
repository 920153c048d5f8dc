/** What was acknowledged, and what may be: for each fact the values that it can have now. The library must have one of these. */

/** One asked-for change of one fact. */
interface Ask {
  key: string;
  value: string;
  /** What was asked for at the same time: who was last is not known. */
  rivals: Set<string>;
}

export const absent = "absent";

export class Facts {
  readonly #possible = new Map<string, Set<string>>();
  readonly #asks = new Set<Ask>();

  /** A change is asked for. While nobody says what became of it, it may still be done. */
  ask(key: string, value: string): { done(): void; refused(): void } {
    const others = [...this.#asks].filter((other) => other.key === key);
    const ask: Ask = { key, value, rivals: new Set(others.map((other) => other.value)) };
    for (const { rivals } of others) rivals.add(value);
    this.#asks.add(ask);
    this.#possibleOf(key).add(value);
    return {
      done: () => {
        this.#asks.delete(ask);
        this.#possible.set(key, new Set([value, ...ask.rivals]));
      },
      refused: () => void this.#asks.delete(ask),
    };
  }

  /** It is so, or one of these. */
  know(key: string, ...values: string[]): void {
    this.#possible.set(key, new Set(values));
  }

  /** Keys that may have this value. */
  keysOf(prefix: string, value: string): string[] {
    return [...this.#possible]
      .filter(([key, values]) => key.startsWith(prefix) && values.has(value))
      .map(([key]) => key.slice(prefix.length));
  }

  /** The library that was asked is over: what it has not done it will not do. */
  libraryOver(): void {
    this.#asks.clear();
  }

  /** What is not as it must be, or null. */
  disproved(found: ReadonlyMap<string, string>): string | null {
    for (const [key, values] of this.#possible) {
      const value = found.get(key) ?? absent;
      if (!values.has(value)) return `${key} is ${value}, and must be ${[...values].join(" or ")}`;
    }
    return null;
  }

  #possibleOf(key: string): Set<string> {
    const known = this.#possible.get(key);
    if (known !== undefined) return known;
    const fresh = new Set([absent]);
    this.#possible.set(key, fresh);
    return fresh;
  }
}
