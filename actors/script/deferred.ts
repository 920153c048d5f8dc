/** A promise that someone else settles; `Promise.withResolvers` is not there before Node 22. */

export interface Deferred<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
}

/** A promise that is pending until its `resolve` is called; later calls change nothing. */
export function createDeferred<T>(): Deferred<T> {
  let settle: ((value: T) => void) | null = null;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle?.(value) };
}
