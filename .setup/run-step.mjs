/** Runs one step by itself, as `npm run generate` and `npm run build` do, under the lock of the set-up. */
import { withLock } from "./lock.mjs";
import { sayFailure } from "./say.mjs";

export async function runStep(step) {
  try {
    await withLock(step);
  } catch (failure) {
    sayFailure(failure);
    process.exitCode = 1;
  }
}
