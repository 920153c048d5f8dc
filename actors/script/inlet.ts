/** Passes on one message per turn of the event loop: between two, Playwright needs its promise callbacks, as with a WebSocket. */
export interface Inlet<T> {
  put(value: T): void;
  /** Sets the only listener. Queued messages come first. */
  take(listener: (value: T) => void): void;
}

export function createInlet<T>(): Inlet<T> {
  const held: T[] = [];
  let listener: ((value: T) => void) | null = null;
  let due = false;
  const next = () => {
    due = false;
    if (listener === null || held.length === 0) return;
    const value = held.shift();
    if (held.length > 0) arm();
    if (value !== undefined) listener(value);
  };
  const arm = () => {
    if (due) return;
    due = true;
    setImmediate(next);
  };
  return {
    put(value) {
      held.push(value);
      if (listener !== null) arm();
    },
    take(given) {
      listener = given;
      if (held.length > 0) arm();
    },
  };
}
