/** The run coordinator: drives active runs, here or in the fleet, and resumes those in the library after a crash. */
import { Fault } from "../../protocol/faults.ts";
import { runsChecks } from "../../protocol/generated/messages/runs.ts";
import type { LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import { type PoolApi, poolDeadlines } from "../../protocol/messages/pool.ts";
import type { RunsApi, RunsConfig } from "../../protocol/messages/runs.ts";
import { inBackground } from "../kernel/background.ts";
import { type ActorContext, hostActor } from "../kernel/host.ts";
import { insist, isAnswer } from "../kernel/insist.ts";
import { alongTrail } from "../kernel/trail.ts";
import { type Drive, drive, stopped } from "./drive.ts";
import type { Head } from "./fleet-head.ts";
import { createMembership, fleetCalls } from "./fleet-membership.ts";
import type { HeadParts } from "./fleet-outcomes.ts";
import type { FleetWorker } from "./fleet-worker.ts";
import { type Part, type PartContext, startPart } from "./part.ts";
import { createTurns } from "./profile-turns.ts";

/** Messages of an ended thread arrive within this time. */
const lookAgainMs = 5_000;

export interface Runs extends RunsApi {
  resume(): Promise<void>;
  /** Before the first call. */
  joinFleet(open: (parts: HeadParts) => Promise<Head>): Promise<void>;
}

export function createRuns(
  context: Pick<PartContext, "log" | "clock"> & {
    library: LibraryApi;
    pool: PoolApi;
    ownPorts: readonly number[];
  },
): Runs {
  const { library, pool, log, clock } = context;
  const drives = new Map<string, Drive>();
  /** Runs being created: each is driven, or ended if the service stops first. */
  const making = new Set<Promise<unknown>>();
  const turns = createTurns();
  let ownPorts = context.ownPorts;
  let undriven: Promise<RunWork[] | null> | null = null;
  let closing = false;
  const fleet = createMembership();
  const isClosing = () => closing;

  const startHere = (work: RunWork, profileId: string) =>
    startPart({ library, pool, log, clock, turns, ownPorts: () => ownPorts }, work, profileId);
  const take = (work: RunWork) => {
    if (drives.has(work.run.id)) return;
    const { head } = fleet;
    const inFleet = work.placed !== undefined;
    if (inFleet && head === null) {
      log.warn("a run in the fleet waits: the fleet is off", { runId: work.run.id });
      return;
    }
    const started = { inFleet, halting: new AbortController(), parts: new Set<Part>() };
    const startPart = (profileId: string) =>
      inFleet && head !== null ? head.startPart(work, profileId) : startHere(work, profileId);
    if (closing) started.halting.abort();
    const done = alongTrail({ run: work.run.id }, () =>
      drive(context, { work, startPart, ...started, isClosing }),
    ).finally(() => drives.delete(work.run.id));
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
  const inFleet = async () => {
    await Promise.allSettled(making);
    await takeUndriven(); // One of them may be in the fleet.
    return goingOn(library, drives);
  };
  const halt = ({ halting, parts }: Drive, reason: string) => {
    halting.abort();
    for (const part of parts) part.abort(reason);
  };

  return {
    start: (input) =>
      make(async () => {
        const { placement, ...request } = input;
        const work = await library.createRun({ ...request, ...fleet.placement(placement) });
        if (work.replayed !== true) take(work);
        return work.run;
      }),
    startScheduled: (input) =>
      make(async () => {
        const fired = await library.fireSchedule({ ...input, ...fleet.placement("auto") });
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
      const parts = [...(drives.get(runId.toLowerCase())?.parts ?? [])];
      const idsOf = (some: readonly Part[]) => some.map(({ profileId }) => profileId);
      return { profileIds: idsOf(parts), away: idsOf(parts.filter((part) => part.away?.() === true)) };
    },
    async ownPorts({ ports }) {
      ownPorts = ports;
      return null;
    },
    ...fleetCalls(fleet),
    leaveFleet: ({ drain }) => fleet.leave(drain, inFleet),
    async close() {
      closing = true;
      for (const driven of drives.values()) if (driven.inFleet) driven.halting.abort();
      for (const driven of drives.values()) if (!driven.inFleet) halt(driven, stopped);
      await fleet.head?.close();
      while (making.size > 0 || drives.size > 0) {
        await Promise.allSettled(making);
        await Promise.all([...drives.values()].map(({ done }) => done));
      }
      return null;
    },
    async joinFleet(open) {
      fleet.join(await open({ library, pool, log, clock, turns, startHere }));
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

/** Those in the fleet. */
async function goingOn(library: LibraryApi, drives: ReadonlyMap<string, Drive>): Promise<string[]> {
  const going: string[] = [];
  for (const [runId, { inFleet, done }] of drives) {
    if (!inFleet) continue;
    // Of one that has ended, the drive is about to end.
    if ((await library.readRun({ runId })).status === "running") going.push(runId);
    else await done;
  }
  return going;
}

export async function startRuns({ config, log, clock, peer }: ActorContext<RunsConfig>): Promise<RunsApi> {
  const { fleet } = config;
  const library = peer<LibraryApi>("library");
  // Waiting for a slot has no time limit.
  const pool = peer<PoolApi>("pool", { ...poolDeadlines, launch: Number.POSITIVE_INFINITY });
  const runs = createRuns({ library, pool, log, clock, ownPorts: config.ownPorts });
  // Loaded only where a fleet is on.
  if (fleet?.role === "head")
    await runs.joinFleet(async (parts) => (await import("./fleet-head.ts")).openHead(fleet, parts));
  if (config.resume) await runs.resume();
  if (fleet?.role !== "worker") return runs;
  const { openWorker } = await import("./fleet-worker.ts");
  const worker = await openWorker(fleet, { pool, log, clock });
  return asWorker(runs, worker);
}

function asWorker(runs: RunsApi, worker: FleetWorker): RunsApi {
  return {
    ...runs,
    ownPorts(input) {
      worker.ownPorts(input.ports);
      return runs.ownPorts(input);
    },
    async close(input) {
      await Promise.all([worker.close(), runs.close(input)]);
      return null;
    },
  };
}

hostActor<RunsConfig, RunsApi>("runs", runsChecks, startRuns);
