/** Runs deferrable work when no launch has happened for a while. */

export interface Quiet {
  /** Reports a launch. Call the returned function once, when it has ended. */
  disturb(): () => void;
  close(): void;
}

/** A browser is still busy for a while after its first page has answered. */
const quietMs = 1_000;

/** Calls `work` after `ms` without a launch, and again while it returns true. An exception ends the work until the next quiet time. */
export function whenQuiet(work: () => Promise<boolean>, ms = quietMs): Quiet {
  let launches = 0;
  let working = false;
  let closed = false;
  let timer: NodeJS.Timeout | null = null;

  const begin = async (): Promise<void> => {
    if (working) return;
    working = true;
    try {
      while (!closed && launches === 0 && (await work()));
    } catch {
      // The work is optional: what it did not prepare is made when needed.
    } finally {
      working = false;
    }
  };
  const arm = () => {
    if (timer !== null) clearTimeout(timer);
    if (closed || launches > 0) return;
    timer = setTimeout(() => void begin(), ms);
    timer.unref();
  };
  arm();
  return {
    disturb() {
      launches += 1;
      return () => {
        launches -= 1;
        arm();
      };
    },
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
