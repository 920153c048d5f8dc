/** Runs in the fleet, on the machine that has the library: publishes parts, and stores what becomes of them. */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Fault, faultRecord } from "../../protocol/faults.ts";
import {
  type FleetHealth,
  type FleetLeaving,
  type FleetStatus,
  fleetLimits,
  type HeadConfig,
  type PartSpec,
  type StoredArchive,
} from "../../protocol/fleet.ts";
import type { PlacedPart } from "../../protocol/messages/fleet.ts";
import type { RunWork } from "../../protocol/messages/library.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import { failedOutcome } from "../../protocol/run-outcomes.ts";
import type { ScriptLogTail } from "../../protocol/run-task.ts";
import { type Archives, openArchives, profilePrefix } from "../fleet/archives.ts";
import { createHeadLedger } from "../fleet/head-ledger.ts";
import type { PartKey } from "../fleet/ledger.ts";
import { createLiveLogs } from "../fleet/live-logs.ts";
import { isLost } from "../fleet/object-store.ts";
import { openPostgres, type Postgres } from "../fleet/postgres.ts";
import { createWatch } from "../fleet/rules.ts";
import { checkTables } from "../fleet/schema.ts";
import { createSeal, specPlace } from "../fleet/sealed.ts";
import { drainMachine, readStatus } from "../fleet/status.ts";
import { channels, createWorkerLedger } from "../fleet/worker-ledger.ts";
import { inBackground } from "../kernel/background.ts";
import { createDeferred, type Deferred } from "../kernel/deferred.ts";
import { insist } from "../kernel/insist.ts";
import type { Log } from "../kernel/log.ts";
import { versionNumber } from "../kernel/program-version.ts";
import { createTurns } from "../kernel/turns.ts";
import { createFigures } from "./fleet-figures.ts";
import { leaveFleet } from "./fleet-leave.ts";
import { createLogReader } from "./fleet-logs.ts";
import {
  createLimit,
  createLook,
  createTrouble,
  expireSilent,
  majorOf,
  removeOld,
  repeated,
} from "./fleet-look.ts";
import { createTaker, type HeadParts, keyOf, type Open } from "./fleet-outcomes.ts";
import { openTerm } from "./fleet-term.ts";
import type { Part } from "./part.ts";

export interface Head {
  /** Publishes a profile's part. Never rejects, as `startPart`. */
  startPart(work: RunWork, profileId: string): Part;
  /** Of a part that is away. Never rejects. */
  log(part: PartKey, after: number): Promise<ScriptLogTail | null>;
  bringHome(profileId: string): Promise<void>;
  health(): Promise<FleetHealth>;
  status(): Promise<FleetStatus>;
  /** Throws `not-found`. */
  drain(name: string, draining: boolean): Promise<void>;
  /** No part of it is driven. Throws as `leaveFleet`. */
  leave(): Promise<Omit<FleetLeaving, "runs">>;
  close(): Promise<void>;
}

const givenAtOnce = 4;
const removing = "removing an old archive";

export async function openHead(config: HeadConfig, parts: HeadParts): Promise<Head> {
  const postgres = await openPostgres(config.postgres);
  const ledger = createHeadLedger(postgres);
  return createHead(
    postgres,
    {
      config,
      ledger,
      archives: openArchives(config),
      seal: createSeal(config.key),
      term: openTerm(postgres, config.dataDir),
    },
    parts,
  );
}

function createHead(postgres: Postgres, open: Open, parts: HeadParts): Head {
  const { library, log, clock, turns } = parts;
  const { config, ledger, seal, term } = open;
  const waiting = new Map<string, Deferred<void>>();
  const closing = createDeferred<void>();
  let closed = false;
  let checked = false;
  const exclusively = createTurns();
  const giving = createLimit(givenAtOnce);
  const observer = createWorkerLedger(postgres);
  const logs = createLogReader({ logs: createLiveLogs(postgres), seal, clock });
  const watch = createWatch();
  const trouble = createTrouble(log);
  const take = createTaker(open, parts, exclusively, (part) => waiting.get(keyOf(part))?.resolve());
  const look = createLook(clock, fleetLimits.lookMs, async () => {
    try {
      if (!checked) await checkTables(postgres, config.headId);
      checked = true;
      await term.hold("internal");
      await expireSilent(observer, watch, performance.now(), log);
      // Not awaited: one with large files must not hold up the others.
      for (const news of await ledger.news())
        take(news).catch((error: unknown) => trouble.note("an outcome waits", error));
      trouble.eased();
    } catch (error) {
      trouble.note("the fleet waits", error);
    }
  });
  look.now();
  postgres.listen(channels.head, look.now);
  const home = (profileId: string) => exclusively(profileId, () => bringHome(open, parts, profileId));

  return {
    startPart(work, profileId) {
      const part: PartKey = { runId: work.run.id, profileId };
      const ended = createDeferred<void>();
      let aborted: string | null = null;
      let published = work.placed?.includes(profileId) === true;
      const wanted = () => aborted === null && !closed;
      let here: Part | null = null;
      const drive = async () => {
        if (await isLive(parts.pool, profileId)) {
          here = parts.startHere(work, profileId);
          return here.closed;
        }
        await Promise.race([turns.take(profileId, done), ended.promise, closing.promise]);
        waiting.set(keyOf(part), ended);
        const publish = async () => {
          const placed = await library.placeRunProfile(part);
          await giving(() => give(open, parts, placed));
          published = true;
          if (!(await ledger.publish(part, seal.seal(specOf(placed, work), specPlace(part)))))
            throw new Fault("internal", `profile ${profileId} was fetched meanwhile`);
        };
        const publishing = async () => {
          if (!wanted()) return;
          await term.hold("internal");
          await exclusively(profileId, publish);
        };
        await repeated({ trouble, clock }, "a part waits", publishing, closing.promise);
        if (closed || !published) return;
        if (aborted !== null) abort(aborted);
        look.now();
        await Promise.race([ended.promise, closing.promise]);
      };
      const abort = (reason: string) => {
        aborted ??= reason;
        if (here !== null) return here.abort(reason);
        if (!published) return ended.resolve();
        inBackground(log, "cancelling a part in the fleet", cancel(reason));
      };
      const cancel = async (reason: string) => {
        const there = await insist(parts, `cancelling the part of ${profileId}`, async () => {
          await term.hold("internal");
          return ledger.abort(part, reason);
        });
        if (there === false) ended.resolve();
        look.now();
      };
      const fail = (error: unknown) =>
        insist(parts, `keeping the outcome of ${profileId}`, () =>
          library.endRunProfile({ ...part, outcome: failedOutcome(faultRecord(error).message) }),
        );
      const done: Promise<void> = Promise.resolve()
        .then(drive)
        .catch(async (error: unknown) => void (await fail(error)))
        .finally(() => waiting.delete(keyOf(part)));
      const away = () => published && here === null;
      return { profileId, done, closed: done, abort, away };
    },
    log: (part, after) => logs.next(part, after),
    health: createFigures(postgres, clock),
    status: () => readStatus(postgres),
    drain: (name, draining) => drainMachine(postgres, name, draining),
    bringHome: home,
    leave: () => leaveFleet(postgres, open, parts, home),
    async close() {
      closed = true;
      closing.resolve();
      await Promise.all([look.close(), logs.close()]);
      await term.close();
      await postgres.close();
    },
  };
}

function specOf({ task, spec }: PlacedPart, { headless, timeoutMs }: RunWork): PartSpec {
  return { spec, task, headless, timeoutMs };
}

/** Lets the fleet claim the profile: stores its files there, unless the newest are there already. */
async function give(
  { config, ledger, archives }: Open,
  { library, pool, log }: HeadParts,
  { spec }: PlacedPart,
) {
  const { profileId } = spec;
  const known = await ledger.profile(profileId);
  if (known !== null && !known.home) return;
  const proxied = spec.proxy !== null;
  const origin = { platform: process.platform, label: config.label, proxied };
  if (known?.archive != null && (await library.profileInFleet({ profileId })).inFleet) {
    await ledger.give(profileId, { ...origin, engine: 0, archive: null });
    return;
  }
  // Left by a fetch that was cut short. Once the profile is marked, it would pass for its newest files.
  if (known?.archive != null) await forget(ledger, archives, log, profileId, known.archive);
  const { file, engine } = await library.giveProfile({ profileId });
  try {
    // A launch that began before the profile was marked shows here.
    if (await isLive(pool, profileId)) {
      await library.receiveProfile({ profileId, file: null, engine: null });
      throw new Fault("conflict", `profile ${profileId} runs on this machine; stop it first`);
    }
    const archive = await archives.put(profilePrefix(profileId, "head"), file);
    const { replaced } = await ledger.give(profileId, { ...origin, engine: majorOf(engine), archive });
    if (replaced !== null) inBackground(log, removing, removeOld(archives, log, replaced));
  } finally {
    await rm(file, { force: true });
  }
}

async function isLive(pool: PoolApi, profileId: string): Promise<boolean> {
  return (await pool.live({})).some((live) => live.profileId === profileId && live.status !== "crashed");
}

async function bringHome(
  { config, ledger, archives, term }: Open,
  { library, log }: HeadParts,
  profileId: string,
): Promise<void> {
  if (!(await library.profileInFleet({ profileId })).inFleet) return;
  await term.hold("conflict");
  const archive = await ledger.takeHome(profileId);
  const file = archive === null ? null : join(config.dataDir, "tmp", `${randomUUID()}.troupe`);
  try {
    if (archive !== null && file !== null)
      await archives.get(archive, file).catch((error: unknown) => {
        throw error instanceof Fault && isLost(error) ? lost(profileId, error) : error;
      });
    await library.receiveProfile({ profileId, file, engine: await versionNumber(config.chromiumPath) });
  } finally {
    if (file !== null) await rm(file, { force: true });
  }
  if (archive !== null) await forget(ledger, archives, log, profileId, archive);
}

/** No `not-found` or `invalid`: what is missing is not the caller's profile, and the request is in order. */
function lost(profileId: string, { message, detail }: Fault): Fault {
  const remedy = "put its archive back, or delete the profile for good, then try again";
  return new Fault("conflict", `profile ${profileId} cannot be fetched: ${message}; ${remedy}`, detail);
}

/** Of an archive that the head has fetched. */
async function forget(
  ledger: Open["ledger"],
  archives: Archives,
  log: Log,
  profileId: string,
  archive: StoredArchive,
): Promise<void> {
  await ledger.atHome(profileId);
  inBackground(log, removing, removeOld(archives, log, archive.key));
}
