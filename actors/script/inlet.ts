/**
 * Where messages wait for their listener, and are then handed over one a turn of the event loop.
 *
 * Both libraries are written against a WebSocket, which gives each message a task of its own: what a message sets off in
 * promises happens before the next one is seen. Handed over in one go, as one read of the pipe brings them, a page's
 * "context created" can come before Playwright listens for it, and its next `evaluate` waits for ever.
 */
export interface Inlet<T> {
  put(value: T): void;
  /** One listener; what came before it is handed over first. */
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
