/** Quiet times: work that can wait is done when nobody has launched anything for a moment, and not beside launches. */

export interface Quiet {
  /** A launch begins; the returned function, called once, says that it has ended. */
  disturb(): () => void;
  close(): void;
}

/** Browsers go on for a quarter of a second after their first page has answered. */
const usualMs = 1_000;

/**
 * Calls `work` after `ms` without a launch, and again at once while it answers that there is more to do. What it throws ends it
 * until the next quiet time.
 */
export function whenQuiet(work: () => Promise<boolean>, ms = usualMs): Quiet {
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
      // Whoever works has ended, or says no: what is not made ahead is made when it is needed.
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
