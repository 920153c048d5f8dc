/** What a bench has started and must not leave: ended by whoever started it, or all at once when the bench is told to end. */

type End = () => Promise<unknown>;

const open = new Set<End>();

let leaving: Promise<void> | null = null;

/** Notes something that must end with the bench; the answer takes the note back, when it has ended by itself. Throws, and ends it, once the bench is being ended. */
export function endsWithBench(end: End): () => void {
  if (leaving !== null) {
    end().catch(() => {});
    throw new Error("the bench has been told to end");
  }
  open.add(end);
  return () => void open.delete(end);
}

/** The same end, for its owner to call; until then it also comes with the bench's. */
export function owned(end: End): () => Promise<void> {
  const ended = endsWithBench(end);
  return async () => {
    ended();
    await end();
  };
}

/** Ends everything that is still open, the latest first: a service before its directory is removed. */
export async function endAll(): Promise<void> {
  for (const end of [...open].reverse()) {
    open.delete(end);
    await end().catch(() => {}); // What has ended meanwhile refuses; the others are still to end.
  }
}

/**
 * A signal ends everything that is open, and then the bench, with the shell's code for it. npm and the shell between pass a signal on
 * that has come by itself already: the second changes nothing.
 */
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
