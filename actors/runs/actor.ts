/** The run coordinator: drives active runs, and resumes those in the library after a crash. */
import { Fault } from "../../protocol/faults.ts";
import { runsChecks } from "../../protocol/generated/messages/runs.ts";
import type { LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import { type PoolApi, poolDeadlines } from "../../protocol/messages/pool.ts";
import type { RunsApi, RunsConfig } from "../../protocol/messages/runs.ts";
import { inBackground } from "../kernel/background.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { insist, isAnswer } from "../kernel/insist.ts";
import { alongTrail } from "../kernel/trail.ts";
import { runLanes } from "./lanes.ts";
import { type Part, type PartContext, startPart } from "./part.ts";
import { createTurns } from "./profile-turns.ts";

interface Drive {
  halting: AbortController;
  parts: Set<Part>;
  done: Promise<void>;
}

const stopped = "the service was stopped";
/** Longer than a message of an ended thread is under way. */
const lookAgainMs = 5_000;

export function createRuns(
  context: Omit<PartContext, "ownPorts" | "turns"> & { ownPorts: readonly number[] },
): RunsApi & { resume(): Promise<void> } {
  const { library, pool, log, clock } = context;
  const drives = new Map<string, Drive>();
  /** Runs being created: each is driven, or ended if the service stops first. */
  const making = new Set<Promise<unknown>>();
  const turns = createTurns();
  let ownPorts = context.ownPorts;
  let undriven: Promise<RunWork[] | null> | null = null;
  let closing = false;

  const drive = async (work: RunWork, { halting, parts }: Omit<Drive, "done">): Promise<void> => {
    const runId = work.run.id;
    let broke: string | null = null;
    const closings: Promise<void>[] = [];
    try {
      const max = (await pool.capacity({})).max;
      const concurrency = work.concurrency === 0 ? max : Math.min(work.concurrency, max);
      const lanes = { concurrency, staggerMs: work.staggerMs, clock, halt: halting.signal };
      await runLanes(work.waiting, lanes, (profileId) => {
        const part = startPart(
          { library, pool, log, clock, turns, ownPorts: () => ownPorts },
          work,
          profileId,
        );
        parts.add(part);
        closings.push(part.closed);
        const forget = () => parts.delete(part);
        part.done.then(forget, forget);
        return part;
      });
      await Promise.all(closings);
      if (closing) broke = stopped;
    } catch (error) {
      log.error("a run failed unexpectedly", { runId, error });
      broke = error instanceof Error ? error.message : String(error);
    }
    await insist(context, `ending run ${runId}`, () => library.endRun({ runId, error: broke }));
  };
  const take = (work: RunWork) => {
    if (drives.has(work.run.id)) return;
    const started = { halting: new AbortController(), parts: new Set<Part>() };
    if (closing) started.halting.abort();
    const done = alongTrail({ run: work.run.id }, () => drive(work, started)).finally(() =>
      drives.delete(work.run.id),
    );
    drives.set(work.run.id, { ...started, done });
  };
  /** A failed call may still have created its run: a record whose sync failed can be in the journal that the library reads again. */
  const takeUndriven = async () => {
    if (closing) return;
    const look = () => library.resumeRuns({ driven: [...drives.keys()] });
    undriven ??= insist(context, "searching for undriven runs", look);
    const found = await undriven;
    undriven = null;
    for (const work of found ?? []) if (!closing) take(work);
  };
  const make = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing) throw new Fault("conflict", "the service is stopping");
    const made = work().catch((error: unknown) => {
      if (!isAnswer(error)) inBackground(log, "the search for undriven runs", takeUndriven());
      throw error;
    });
    making.add(made);
    return made.finally(() => making.delete(made));
  };
  const halt = ({ halting, parts }: Drive, reason: string) => {
    halting.abort();
    for (const part of parts) part.abort(reason);
  };

  return {
    start: (input) =>
      make(async () => {
        const work = await library.createRun(input);
        if (work.replayed !== true) take(work);
        return work.run;
      }),
    startScheduled: (input) =>
      make(async () => {
        const fired = await library.fireSchedule(input);
        if (fired === null) return null;
        if (fired.work !== null) take(fired.work);
        return fired.run;
      }),
    async cancel({ runId }) {
      const run = await library.cancelRun({ runId });
      const driven = drives.get(run.id);
      if (driven !== undefined) halt(driven, run.error ?? "the run was cancelled");
      return run;
    },
    async working({ runId }) {
      const parts = drives.get(runId.toLowerCase())?.parts ?? [];
      return { profileIds: [...parts].map(({ profileId }) => profileId) };
    },
    async ownPorts({ ports }) {
      ownPorts = ports;
      return null;
    },
    async close() {
      closing = true;
      for (const driven of drives.values()) halt(driven, stopped);
      while (making.size > 0 || drives.size > 0) {
        await Promise.allSettled(making);
        await Promise.all([...drives.values()].map(({ done }) => done));
      }
      return null;
    },
    async resume() {
      // Launches of an earlier coordinator have no owner and would keep their slots.
      await pool.endWaitedLaunches({});
      for (const work of await library.resumeRuns({ driven: [] })) take(work);
      // The library may create a run that the ended coordinator had asked for, after this answer.
      clock.timer(lookAgainMs, () => inBackground(log, "the search for undriven runs", takeUndriven()));
    },
  };
}

export async function startRuns({ config, log, clock, peer }: ActorContext<RunsConfig>): Promise<RunsApi> {
  const library = peer<LibraryApi>("library");
  // Waiting for a slot has no time limit.
  const pool = peer<PoolApi>("pool", { ...poolDeadlines, launch: Number.POSITIVE_INFINITY });
  const runs = createRuns({ library, pool, log, clock, ownPorts: config.ownPorts });
  if (config.resume) await runs.resume();
  return runs;
}

hostActor<RunsConfig, RunsApi>("runs", runsChecks, startRuns);
