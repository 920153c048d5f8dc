/** A promise with its `resolve`; Node 20 has no `Promise.withResolvers`. */

export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
}

/** A promise that is pending until `resolve` is called; later calls have no effect. */
export function createDeferred<T>(): Deferred<T> {
  let settle: ((value: T) => void) | null = null;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle?.(value) };
}
