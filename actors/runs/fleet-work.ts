/** One part on a worker: the profile's files, browser and script, the outcome, and the archive behind it. */
import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import type { PartEnding, PartSpec, WorkerConfig } from "../../protocol/fleet.ts";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { ArchiveTasks } from "../../protocol/messages/tasks.ts";
import { failedOutcome } from "../../protocol/run-outcomes.ts";
import { type Archives, filesPrefix, profilePrefix } from "../fleet/archives.ts";
import type { Claim, Lease, WorkerLedger } from "../fleet/ledger.ts";
import { endingPlace, type Seal, specPlace } from "../fleet/sealed.ts";
import type { Clock } from "../kernel/clock.ts";
import { isAnswer } from "../kernel/insist.ts";
import type { Log } from "../kernel/log.ts";
import type { ProfileCache } from "./fleet-cache.ts";
import { removeOld, type Trouble } from "./fleet-look.ts";
import { type Part, type PartContext, type PartWork, startPart } from "./part.ts";

const pauseMs = 3_000;
const unstored = "the outcome could not be stored; the worker's log says why";
const noHandoff =
  "a part in a fleet has no handoff: nobody sees the page on this machine; run the script with placement local";

export interface WorkContext {
  config: WorkerConfig;
  session: string;
  /** Major version of the browser. */
  engine: number;
  ledger: WorkerLedger;
  archives: Archives;
  seal: Seal;
  cache: ProfileCache;
  tasks: ArchiveTasks;
  pool: PoolApi;
  log: Log;
  clock: Clock;
  ownPorts(): readonly number[];
  trouble: Trouble;
  /** Repeats what PostgreSQL or the store refuses for now, and notes why. */
  insist<T>(act: () => Promise<T>): Promise<T>;
}

export interface Work {
  lease: Lease;
  /** The browser is open or will not be. */
  opened: boolean;
  /** The profile is released. */
  done: Promise<void>;
  abort(reason: string): void;
}

export function startWork(context: WorkContext, claim: Claim): Work {
  const { config, session } = context;
  const { runId, profileId, epoch } = claim;
  const lease: Lease = { runId, profileId, session, epoch };
  let aborted: string | null = null;
  let part: Part | null = null;
  const state: PartState = { begun: false, finished: false, opened: false, clean: false, exit: null };
  const scratch = join(config.dataDir, "fleet", "runs", runId, profileId);

  const drive = async () => {
    const { spec, task, headless, timeoutMs } = context.seal.open<PartSpec>(claim.spec, specPlace(claim));
    const userDataDir = await context.cache.ready(profileId, claim.archive);
    if (aborted !== null) return;
    const here = { ...spec, userDataDir, uploadsDir: join(config.dataDir, "uploads") };
    const given: PartSpec = { spec: here, task: { ...task, scratchDir: scratch }, headless, timeoutMs };
    part = startPart(partContext(context, lease, given, state), workOf(runId, given), profileId);
    await part.done;
    await part.closed;
    await keepProfile(context, lease, given, state);
  };
  const failed = async (error: unknown) => {
    // What a repetition cannot change ends the part: a damaged archive, a spec that does not open.
    if (isAnswer(error) && state.finished)
      return context.log.error("a profile keeps its earlier state", { profileId, error });
    if (isAnswer(error)) return finish(context, lease, state, failedOutcome(faultRecord(error).message));
    // Another machine may fare better, and this one must not claim the part again at once.
    context.trouble.note("a part could not be run here", error);
    await new Promise<void>((resolve) => context.clock.timer(pauseMs, resolve));
  };
  const release = async () => {
    const { ledger, log } = context;
    const warning = warningIn(log, profileId);
    // First, because this machine may claim the part again at once.
    await rm(scratch, { recursive: true, force: true }).catch(warning("removing a part's directory"));
    if (state.begun && !state.finished) await finish(context, lease, state, failedOutcome(unstored));
    if (state.finished) await context.insist(() => ledger.release(lease, null));
    else await context.insist(() => ledger.unclaim(lease));
  };
  return {
    lease,
    get opened() {
      return state.opened;
    },
    done: drive().catch(failed).then(release),
    abort(reason) {
      aborted ??= reason;
      part?.abort(reason);
    },
  };
}

/** For what must not keep a profile from its release, such as a full disk. */
const warningIn = (log: Log, profileId: string) => (what: string) => (error: unknown) =>
  log.warn(`${what} failed`, { profileId, error });

interface PartState {
  /** Its script has begun, so the part needs an outcome. */
  begun: boolean;
  /** The ledger has the outcome. */
  finished: boolean;
  opened: boolean;
  /** The browser ended in order, with its data on disk. */
  clean: boolean;
  exit: PartEnding["exit"];
}

function workOf(runId: string, { task, headless, timeoutMs }: PartSpec): PartWork {
  const { library, approved } = task.script;
  return { run: { id: runId }, library, approved, headless, timeoutMs, noHandoff };
}

/** `startPart` with the ledger in place of the library, and a spec in place of a profile of this machine. */
function partContext(context: WorkContext, lease: Lease, given: PartSpec, state: PartState): PartContext {
  const { ledger, pool } = context;
  const { profileId } = lease;
  const { spec, task } = given;
  const library: PartContext["library"] = {
    async beginRunProfile() {
      await mkdir(task.scratchDir, { recursive: true, mode: 0o700 });
      state.begun = await context.insist(() => ledger.begin(lease));
      if (state.begun) return task;
      throw new Fault("conflict", "the part was cancelled, or another machine has it");
    },
    async endRunProfile({ outcome }) {
      await finish(context, lease, state, outcome, task.scratchDir);
      return null;
    },
  };
  const opening: PartContext["pool"] = {
    connect: (input) => pool.connect(input),
    cancelWait: (input) => pool.cancelWait(input),
    async launch({ runId, ...input }) {
      const idleTimeoutSecs = input.options.idleTimeoutSecs ?? 0;
      const launched = await pool.launch({
        ...input,
        ...(runId && { ticket: runId }),
        given: { spec, idleTimeoutSecs },
      });
      state.opened = true;
      const { proxy } = spec;
      if (proxy !== null && launched.exit !== null)
        state.exit = { host: proxy.upstream.host, port: proxy.upstream.port, measurement: launched.exit };
      return launched;
    },
    async stop(input) {
      let inOrder = await pool.live({}).then(
        (all) => all.find((one) => one.profileId === profileId)?.status !== "crashed",
        () => false,
      );
      // The profile is released after this, so its browser must be gone.
      await context.insist(() =>
        pool.stop(input).catch((error: unknown) => {
          inOrder = false;
          throw error;
        }),
      );
      state.clean = inOrder;
      return null;
    },
  };
  const turns = { take: async () => {} }; // The lease is the turn.
  const { log, clock, ownPorts } = context;
  return { library, pool: opening, log, clock, turns, ownPorts };
}

async function finish(
  context: WorkContext,
  lease: Lease,
  state: PartState,
  outcome: RunProfileOutcome,
  scratch?: string,
): Promise<void> {
  const { archives, ledger, seal, config } = context;
  const files: PartEnding["files"] = [];
  for (const path of outcome.files) {
    const archive = await context.insist(() =>
      archives.put(filesPrefix(lease.runId, lease.profileId, lease.epoch), path),
    );
    files.push({ name: relative(scratch ?? "", path), archive });
  }
  const ending: PartEnding = {
    outcome: { ...outcome, files: [] },
    files,
    exit: state.exit,
    worker: config.name,
  };
  const sealed = seal.seal(ending, endingPlace(lease));
  const kept = await context.insist(() => ledger.finish(lease, sealed));
  if (!kept) context.log.warn("an outcome came too late", { runId: lease.runId, profileId: lease.profileId });
  state.finished = true;
}

/** Stores the profile's files and releases it. Without a clean end they stay those of before. */
async function keepProfile(
  context: WorkContext,
  lease: Lease,
  { spec }: PartSpec,
  state: PartState,
): Promise<void> {
  const { archives, cache, config, ledger, tasks, engine, log } = context;
  const { profileId, epoch } = lease;
  const warning = warningIn(log, profileId);
  if (!state.finished || !state.opened) return;
  if (!state.clean)
    return log.warn("a profile keeps its earlier state: its browser did not end in order", { profileId });
  const file = join(config.dataDir, "tmp", `${randomUUID()}.troupe`);
  const { name, os, timezone, languages, fingerprint } = spec;
  const profile = {
    name,
    os,
    timezone,
    languages,
    fingerprint,
    folder: null,
    groups: [],
    tags: [],
    variables: [],
    proxy: null,
  };
  try {
    await context.insist(async () => {
      await rm(file, { force: true });
      const createdAt = new Date(context.clock.now()).toISOString();
      await tasks.packProfile({ file, userDataDir: spec.userDataDir, profile, createdAt });
    });
    const archive = await context.insist(() => archives.put(profilePrefix(profileId, epoch), file));
    // Before the release, after which this machine may open them again. Without the mark it fetches them.
    await cache.isKept(profileId, archive).catch(warning("marking a profile's files"));
    const origin = { platform: process.platform, engine, label: config.label };
    const { released, replaced } = await context.insist(() =>
      ledger.release(lease, { ...archive, ...origin }),
    );
    if (!released) return log.warn("a profile's archive came too late", { profileId });
    if (replaced !== null) await removeOld(archives, log, replaced);
  } finally {
    await rm(file, { force: true });
  }
}
