/** Drives one run: its parts in lanes, then its end. */
import type { LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { Clock } from "../kernel/clock.ts";
import { insist } from "../kernel/insist.ts";
import type { Log } from "../kernel/log.ts";
import { runLanes } from "./lanes.ts";
import type { Part } from "./part.ts";

export interface Drive {
  inFleet: boolean;
  halting: AbortController;
  parts: Set<Part>;
  done: Promise<void>;
}

export const stopped = "the service was stopped";

interface Driving extends Omit<Drive, "done"> {
  work: RunWork;
  startPart(profileId: string): Part;
  isClosing(): boolean;
}

/** Never rejects. */
export async function drive(
  context: { library: LibraryApi; pool: PoolApi; log: Log; clock: Clock },
  { work, inFleet, halting, parts, startPart, isClosing }: Driving,
): Promise<void> {
  const { library, pool, log, clock } = context;
  const runId = work.run.id;
  let broke: string | null = null;
  const closings: Promise<void>[] = [];
  try {
    const concurrency = await widthOf(pool, work);
    const lanes = { concurrency, staggerMs: work.staggerMs, clock, halt: halting.signal };
    await runLanes([...(work.placed ?? []), ...work.waiting], lanes, (profileId) => {
      const part = startPart(profileId);
      parts.add(part);
      // Cancelled, and the service crashed before its parts in the fleet were.
      if (inFleet && work.run.error !== null) part.abort(work.run.error);
      closings.push(part.closed);
      const forget = () => parts.delete(part);
      part.done.then(forget, forget);
      return part;
    });
    await Promise.all(closings);
    if (isClosing() && inFleet) return; // Its parts go on there; the next start continues it.
    if (isClosing()) broke = stopped;
  } catch (error) {
    log.error("a run failed unexpectedly", { runId, error });
    broke = error instanceof Error ? error.message : String(error);
  }
  await insist(context, `ending run ${runId}`, () => library.endRun({ runId, error: broke }));
}

/** How many parts are driven at a time. Those in the fleet wait for its machines, not for the slots of this one. */
async function widthOf(pool: PoolApi, { concurrency, placed }: RunWork): Promise<number> {
  if (placed !== undefined) return concurrency === 0 ? Number.POSITIVE_INFINITY : concurrency;
  const { max } = await pool.capacity({});
  return concurrency === 0 ? max : Math.min(concurrency, max);
}
