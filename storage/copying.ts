/** Copying the database for a snapshot: slice by slice between other work, finished in the breath that the journal changes in. */
import type { SnapshotMark } from "./snapshot.ts";
import { finishMarked } from "./snapshot.ts";
import type { Sqlite } from "./sqlite.ts";

export interface Copying {
  /**
   * `finish` takes no longer than a slice and what was added since, or throws what went wrong. Once it is so it stays so,
   * for no more steps are taken: a copy that fell behind again would wait for ever, and so would a close.
   */
  isReady(): boolean;
  /** Ends when it is ready, or abandoned. */
  ready: Promise<void>;
  /** The bytes of a snapshot of this mark: the database as it is now. Throws what SQLite had against it. */
  finish(mark: SnapshotMark): Uint8Array;
  abandon(): void;
}

/** Begins at once; `wake` is called when it has become ready, unless it is ready from the start, as a small database is. */
export function startCopying(sqlite: Sqlite, slicePages: number | undefined, wake: () => void): Copying {
  const copy = sqlite.copy(slicePages);
  let failure: unknown = null;
  let ended = false;
  let caughtUp = copy.ready;
  const run = async () => {
    try {
      while (!ended && !caughtUp) {
        copy.step();
        caughtUp = copy.ready;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      failure = error;
    }
    if (!ended) wake();
  };
  return {
    isReady: () => failure !== null || caughtUp,
    ready: caughtUp ? Promise.resolve() : run(),
    finish(mark) {
      ended = true;
      if (failure !== null) throw failure;
      return finishMarked(sqlite, copy, mark);
    },
    abandon() {
      ended = true;
      copy.abandon();
    },
  };
}
