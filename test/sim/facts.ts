/** What was acknowledged and what may be: the values that each fact can have now. The library must have one of them. */

interface Ask {
  key: string;
  value: string;
  /** Values requested at the same time, in unknown order. */
  rivals: Set<string>;
}

export const absent = "absent";

export class Facts {
  readonly #possible = new Map<string, Set<string>>();
  readonly #asks = new Set<Ask>();

  /** Records a request. Until its result is known, the change may or may not happen. */
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

  know(key: string, ...values: string[]): void {
    this.#possible.set(key, new Set(values));
  }

  keysOf(prefix: string, value: string): string[] {
    return [...this.#possible]
      .filter(([key, values]) => key.startsWith(prefix) && values.has(value))
      .map(([key]) => key.slice(prefix.length));
  }

  /** The library has ended: pending requests will not happen. */
  libraryOver(): void {
    this.#asks.clear();
  }

  disproved(found: ReadonlyMap<string, string>): string | null {
    for (const [key, values] of this.#possible) {
      const value = found.get(key) ?? absent;
      if (!values.has(value)) return `${key} is ${value}, expected ${[...values].join(" or ")}`;
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
