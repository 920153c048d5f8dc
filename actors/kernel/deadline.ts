/** Deadlines for promises. */
import { Fault } from "../../protocol/faults.ts";
import { type Clock, systemClock } from "./clock.ts";

/** Settles as `promise` does, or rejects with an `internal` fault that names `what` after `ms`. */
export function withDeadline<T>(
  promise: Promise<T>,
  ms: number,
  what: string,
  clock: Clock = systemClock,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = clock.timer(ms, () =>
      reject(new Fault("internal", `${what} did not answer within ${ms} ms`)),
    );
    promise.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
