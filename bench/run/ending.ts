/** What a bench has started and must not leave: ended by whoever started it, or all at once when the bench is told to end. */

type End = () => Promise<unknown>;

const open = new Set<End>();

/** Notes something that must end with the bench; the answer takes the note back, when it has ended by itself. */
export function endsWithBench(end: End): () => void {
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
