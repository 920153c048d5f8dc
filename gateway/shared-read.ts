/** Reads that are asked for at once, made once: a hop to another thread costs more than the whole of a small answer. */

/**
 * A read that is sent when the requests that have arrived by now have all been looked at: each of them came before it was sent,
 * so its answer is as fresh as one of their own. A read that is under way is never shared with who comes later.
 */
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
