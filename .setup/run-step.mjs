/** Runs one step under the set-up's lock, for `npm run generate` and `npm run build`. */
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
