/** Shares one read among calls made at once: a hop to another thread costs more than a small answer. */

/** Reads after all requests of this turn have arrived, so that the answer is fresh for each. A read in progress is not shared. */
export function sharedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let next: Promise<Result> | null = null;
  return () => {
    next ??= new Promise<Result>((resolve) => {
      setImmediate(() => {
        next = null;
        resolve(read());
      });
    });
    return next;
  };
}
