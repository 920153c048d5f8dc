/** How many profiles a caller may drive at a time. */
import { Fault } from "../../protocol/faults.ts";
import type { Actors } from "../actors.ts";

/** Throws `invalid` for more than the browser pool's `max` (protocol/README.md, "Scripts, runs"). */
export async function checkConcurrency({ pool }: Actors, concurrency: number | undefined): Promise<void> {
  if (concurrency === undefined || concurrency === 0) return;
  const { max } = await pool.capacity({});
  if (concurrency > max) {
    throw new Fault(
      "invalid",
      `concurrency must be an integer from 1 to ${max}, the browser pool's max, got ${concurrency}`,
    );
  }
}
