/** Waiting with an end, where running out of time is an answer and not a fault. */

/** The value of `promise`, boxed, or null when it has not come within `ms`. Rejects as the promise does. */
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
