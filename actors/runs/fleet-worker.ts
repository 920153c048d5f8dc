/** A worker of the fleet: claims parts, shows signs of life to PostgreSQL, and keeps its guard informed. */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import { faultRecord } from "../../protocol/faults.ts";
import { fleetLimits, type WorkerConfig } from "../../protocol/fleet.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { ArchiveTasks } from "../../protocol/messages/tasks.ts";
import { openArchives } from "../fleet/archives.ts";
import { type GuardMessage, type Moment, momentNow, msSince } from "../fleet/guard-line.ts";
import type { WorkerLedger } from "../fleet/ledger.ts";
import { createLiveLogs } from "../fleet/live-logs.ts";
import { noFleetCodes, openPostgres, type Postgres } from "../fleet/postgres.ts";
import { claimsNow, createWatch, skewOf } from "../fleet/rules.ts";
import { checkTables } from "../fleet/schema.ts";
import { createSeal, refuseOtherKey } from "../fleet/sealed.ts";
import { channels, createWorkerLedger } from "../fleet/worker-ledger.ts";
import { inBackground } from "../kernel/background.ts";
import type { Clock } from "../kernel/clock.ts";
import { isAnswer } from "../kernel/insist.ts";
import type { Log } from "../kernel/log.ts";
import { connectProfile } from "../kernel/profile-port.ts";
import { versionNumber } from "../kernel/program-version.ts";
import { startTaskPool } from "../kernel/task-pool.ts";
import { createProfileCache } from "./fleet-cache.ts";
import { createLogSender, type LogSender } from "./fleet-logs.ts";
import { createLook, createTrouble, expireSilent, majorOf, repeated } from "./fleet-look.ts";
import { keyOf } from "./fleet-outcomes.ts";
import { sessionFileIn } from "./fleet-session.ts";
import { startWork, type Work, type WorkContext } from "./fleet-work.ts";

export interface FleetWorker {
  ownPorts(ports: readonly number[]): void;
  /** Claims nothing more, ends what runs, keeps it and leaves the fleet. */
  close(): Promise<void>;
}

/** A notification wakes every worker of the fleet. */
const claimsApartMs = 100;
const stopped = "the worker was stopped";

/** Throws `invalid` or `conflict`: what only the user can mend. Joins later while PostgreSQL is away. */
export async function openWorker(
  config: WorkerConfig,
  { pool, log, clock }: { pool: PoolApi; log: Log; clock: Clock },
): Promise<FleetWorker> {
  const postgres = await openPostgres(config.postgres);
  const beats = await openPostgres(config.postgres, 1); // A sign of life must not wait behind other statements.
  const seal = createSeal(config.key);
  const archives = openArchives(config);
  const tasks = startTaskPool<ArchiveTasks>();
  const trouble = createTrouble(log);
  let closing = false;
  const insist = <Value>(act: () => Promise<Value>) => repeated({ trouble, clock }, "the worker waits", act);
  const session = randomUUID();
  const ledger = createWorkerLedger(postgres);
  const engine = majorOf(await versionNumber(config.chromiumPath));
  const ports: { own: readonly number[] } = { own: [] };
  const context: WorkContext = {
    config,
    session,
    engine,
    ledger,
    archives,
    seal,
    cache: createProfileCache(join(config.dataDir, "fleet", "profiles"), archives, tasks.api),
    tasks: tasks.api,
    pool,
    log,
    clock,
    trouble,
    ownPorts: () => ports.own,
    insist,
  };
  const guard = openGuardLine(config.guardFd, clock);
  const logs = openLogs(postgres, context);
  const works = new Map<string, Work>();
  const looks = createLooks({
    context,
    beats: createWorkerLedger(beats),
    guard,
    works,
    logs,
    isClosing: () => closing,
  });
  const begin = () => {
    if (closing) return;
    log.info("the worker is in the fleet", { name: config.name, engine, store: archives.place });
    looks.beat.now();
    looks.claim.now();
    postgres.listen(channels.work, looks.claim.now);
  };
  /** What only the user can mend ends the start; a PostgreSQL that is away does not. */
  const joined = await joinFleet(context, postgres).then(
    () => true,
    (error: unknown) => {
      if (isAnswer(error)) {
        guard.close(); // Else the guard ends the process before it has said why, and starts it again.
        throw error;
      }
      trouble.note("the worker waits", error);
      return false;
    },
  );
  if (joined) begin();
  else
    insist(() => joinFleet(context, postgres))
      .then(begin)
      .catch((error: unknown) => end(`it cannot join the fleet: ${faultRecord(error).message}`));
  return {
    ownPorts(own) {
      ports.own = own;
    },
    async close() {
      closing = true;
      await looks.claim.close();
      for (const work of works.values()) work.abort(stopped);
      await Promise.allSettled([...works.values()].map(({ done }) => done));
      await logs.close();
      await looks.beat.close();
      await ledger
        .leave(session)
        .catch((error: unknown) => log.warn("the worker could not leave the fleet", { error }));
      await Promise.all([postgres.close(), beats.close(), tasks.close()]);
      guard.close();
    },
  };
}

const openLogs = (postgres: Postgres, { seal, clock, pool }: WorkContext) =>
  createLogSender({ logs: createLiveLogs(postgres), seal, clock }, (id) => connectProfile(pool, id));

/** Takes the place of this machine's earlier session, whose browsers ended with it. */
async function joinFleet(
  { config, session, engine, ledger, pool, seal, cache, archives }: WorkContext,
  postgres: Postgres,
): Promise<void> {
  await archives.load();
  refuseOtherKey(seal, await checkTables(postgres, null));
  const file = sessionFileIn(config.dataDir);
  const earlier = file.earlier();
  if (earlier !== null && earlier !== session) await ledger.leave(earlier);
  file.keep(session);
  const { max } = await pool.capacity({});
  const { name, label, version } = config;
  await rm(join(config.dataDir, "fleet", "runs"), { recursive: true, force: true });
  await cache.clear();
  await ledger.join({
    session,
    name,
    label,
    platform: process.platform,
    engine,
    troupe: version,
    slots: max,
  });
}

interface LookParts {
  context: WorkContext;
  beats: WorkerLedger;
  guard: GuardLine;
  works: Map<string, Work>;
  logs: LogSender;
  isClosing(): boolean;
}

function createLooks({ context, beats, guard, works, logs, isClosing }: LookParts) {
  const { session, ledger, pool, log, clock, trouble } = context;
  const watch = createWatch();
  /** Not before the first answer, which tells whether the clock is right. */
  let claims = false;
  let skewed: string | null = null;
  const beat = createLook(clock, fleetLimits.beatMs, async () => {
    const before = momentNow();
    const wallBefore = Date.now();
    try {
      const { max } = await pool.capacity({});
      const answer = await beats.beat(session, { slots: max, trouble: skewed ?? trouble.words });
      if (answer.lost)
        end(`the fleet has given this worker up, and others may have its ${works.size} profiles`);
      guard.confirm(before);
      skewed = skewOf((wallBefore + Date.now()) / 2, answer.now);
      claims = !answer.draining && skewed === null;
      for (const { runId, profileId, reason } of answer.aborts)
        works.get(keyOf({ runId, profileId }))?.abort(reason);
      logs.watch(answer.read);
      await expireSilent(beats, watch, msSince(started), log, session);
      trouble.eased();
    } catch (error) {
      endWithoutFleet(error);
      trouble.note("the worker shows no sign of life", error);
    }
  });
  const started = momentNow();
  const claim = createLook(
    clock,
    fleetLimits.lookMs,
    async () => {
      if (isClosing()) return;
      try {
        const { max, active, queued } = await pool.capacity({});
        const opening = [...works.values()].filter((work) => !work.opened).length;
        const most = claims ? claimsNow({ max, active, queued, opening }) : 0;
        const known = [...works.values()].map(({ lease }) => lease);
        for (const claimed of await ledger.claim(session, most, known)) {
          const key = keyOf(claimed);
          guard.hold(works.size + 1);
          const work = startWork(context, claimed);
          works.set(key, work);
          const released = work.done.finally(() => {
            if (works.get(key) === work) works.delete(key); // Else it was claimed again.
            guard.hold(works.size);
            claim.now();
          });
          inBackground(log, `releasing the profile of ${key}`, released);
        }
      } catch (error) {
        trouble.note("the worker claims nothing", error);
      }
    },
    claimsApartMs,
  );
  return { beat, claim };
}

/** The start that follows is refused for the same reason, and ends the guard. */
function endWithoutFleet(error: unknown): void {
  const { message, detail } = faultRecord(error);
  if (noFleetCodes.includes(detail?.code)) end(message);
}

interface GuardLine {
  confirm(before: Moment): void;
  hold(profiles: number): void;
  close(): void;
}

/** The worker ends with its guard, because nothing else would end its browsers in time when PostgreSQL is cut off. */
function openGuardLine(fd: number, clock: Clock): GuardLine {
  const line = new Socket({ fd, readable: true, writable: true });
  let heard = momentNow();
  let confirmed = heard;
  let holding = 0;
  let closed = false;
  const send = () => {
    const message: GuardMessage = { confirmed, holding, leaving: closed };
    line.write(`${JSON.stringify(message)}\n`);
  };
  line.on("data", () => {
    heard = momentNow();
  });
  const gone = () => {
    if (!closed) end("the guard of this worker has ended");
  };
  line.on("error", gone).on("close", gone);
  const look = () => {
    if (closed) return;
    if (msSince(heard) >= fleetLimits.guardSilentMs) end("the guard of this worker is silent");
    clock.timer(fleetLimits.guardBeatMs, look);
  };
  look();
  send();
  return {
    confirm(before) {
      confirmed = before;
      send();
    },
    hold(profiles) {
      holding = profiles;
      send();
    },
    close() {
      closed = true;
      holding = 0;
      send();
    },
  };
}

/** Ends the whole process, and with it its browsers, at once. The guard starts it again. */
function end(why: string): never {
  writeSync(2, `the worker ends: ${why}\n`);
  process.kill(process.pid, "SIGKILL");
  throw new Error(why);
}
