/** Ends everything that a bench has started: by its owner, or all at once when the bench is interrupted. */

type End = () => Promise<unknown>;

const open = new Set<End>();

let leaving: Promise<void> | null = null;

/**
 * Registers something to end with the bench. Call the returned function when it has ended by itself. Throws, and ends it, if the bench is
 * already ending.
 */
export function endsWithBench(end: End): () => void {
  if (leaving !== null) {
    end().catch(() => {});
    throw new Error("the bench is ending");
  }
  open.add(end);
  return () => void open.delete(end);
}

export function owned(end: End): () => Promise<void> {
  const ended = endsWithBench(end);
  return async () => {
    ended();
    await end();
  };
}

/** Last registered first, so that a service ends before its directory is removed. */
export async function endAll(): Promise<void> {
  for (const end of [...open].reverse()) {
    open.delete(end);
    await end().catch(() => {});
  }
}

/** Ends everything on a signal and exits with the shell's code. Ignores the second signal, which npm and the shell pass on. */
export function endOnSignals(): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)
    process.on(signal, () => {
      leaving ??= endAll().finally(() => process.exit(code));
    });
}
