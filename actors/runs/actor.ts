/** The run coordinator: drives every run that is going on, and picks up after a crash what it finds in the library. */
import { Fault } from "../../protocol/faults.ts";
import { runsChecks } from "../../protocol/generated/messages.ts";
import type { LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { RunsApi, RunsConfig } from "../../protocol/messages/runs.ts";
import type { Clock } from "../kernel/clock.ts";
import { hostActor } from "../kernel/host.ts";
import { runLanes } from "./lanes.ts";
import { insist, type Part, type PartContext, startPart } from "./part.ts";

/** Parts wait for slots as long as it takes; everything else has the kernel's deadline. */
const poolDeadlines = { launch: Number.POSITIVE_INFINITY, stop: 60_000 };

/** The coordinator as an object. */
export function createRuns(context: PartContext & { clock: Clock }): RunsApi & { resume(): Promise<void> } {
  const { library, pool, log, clock } = context;
  const driving = new Set<Promise<void>>();
  const parts = new Set<Part>();
  let closing = false;

  const drive = async (work: RunWork): Promise<void> => {
    const runId = work.run.id;
    let broke: string | null = null;
    const closings: Promise<void>[] = [];
    try {
      const max = (await pool.capacity({})).max;
      const concurrency = work.concurrency === 0 ? max : Math.min(work.concurrency, max);
      const lanes = { concurrency, staggerMs: work.staggerMs, clock, halted: () => closing };
      await runLanes(work.waiting, lanes, (profileId) => {
        const part = startPart(context, work, profileId);
        parts.add(part);
        closings.push(part.closed);
        void part.done.finally(() => parts.delete(part));
        return part;
      });
      await Promise.all(closings);
      if (closing) broke = "the service was stopped";
    } catch (error) {
      log.error("a run broke", { runId, error });
      broke = error instanceof Error ? error.message : String(error);
    }
    await insist(log, `ending run ${runId}`, () => library.endRun({ runId, error: broke }));
  };
  const take = (work: RunWork) => {
    const driven = drive(work).finally(() => driving.delete(driven));
    driving.add(driven);
  };

  return {
    async start(input) {
      if (closing) throw new Fault("conflict", "the service is stopping");
      const work = await library.createRun(input);
      take(work);
      return work.run;
    },
    async close() {
      closing = true;
      for (const part of parts) part.abort("the service was stopped");
      await Promise.all(driving);
      return null;
    },
    async resume() {
      for (const work of await library.resumeRuns({})) take(work);
    },
  };
}

hostActor<RunsConfig, RunsApi>("runs", runsChecks, async ({ config, log, clock, peer }) => {
  const library = peer<LibraryApi>("library");
  const pool = peer<PoolApi>("pool", poolDeadlines);
  const runs = createRuns({ library, pool, log, clock });
  if (config.resume) await runs.resume();
  return runs;
});
