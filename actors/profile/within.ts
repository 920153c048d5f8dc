/** Waiting with a timeout that is a value, not an error. */

/** The value of `promise` in an object, or null after `ms`. Rejects as the promise does. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<{ value: T } | null> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise.then((value) => ({ value })), over]);
  } finally {
    clearTimeout(timer);
  }
}
