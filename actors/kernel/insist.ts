/** Repeats what must succeed while another actor restarts or its disk is full. */
import { Fault } from "../../protocol/faults.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

/** A fault other than `internal` is the actor's decision. After other errors the call may have taken effect, so it is repeated. */
export function isAnswer(error: unknown): error is Fault {
  return error instanceof Fault && error.kind !== "internal";
}

const insistMsMax = 5_000;
/** Warns once, at this failed try. */
const insistTriesUntilWarning = 6;

/**
 * Repeats an action that must succeed, without a time limit: the library may be restarting or its disk full. Ends on a fault other than
 * `internal`.
 */
export async function insist<T>(
  { log, clock }: { log: Log; clock: Clock },
  what: string,
  act: () => Promise<T>,
): Promise<T | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (isAnswer(error)) {
        log.error(`${what} failed`, { error });
        return null;
      }
      if (tries === insistTriesUntilWarning) log.warn(`${what} failed; trying until it succeeds`, { error });
      const ms = Math.min(100 * 2 ** tries, insistMsMax);
      await new Promise<void>((resolve) => clock.timer(ms, resolve));
    }
  }
}
