/** Copies the database for a snapshot in slices between other work. */
import type { SnapshotMark } from "./snapshot.ts";
import { finishMarked } from "./snapshot.ts";
import type { Sqlite } from "./sqlite.ts";

export interface Copying {
  /**
   * True when `finish` takes about one slice, or will throw. Stays true, because no more steps follow: a copy that could fall behind
   * again might never finish.
   */
  isReady(): boolean;
  ready: Promise<void>;
  finish(mark: SnapshotMark): Uint8Array;
  abandon(): void;
}

/** Calls `wake` when the copy becomes ready, but not if it is ready at once, as a small database is. */
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
