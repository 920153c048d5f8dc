/** The pool actor: slots, spare threads, and the threads of running profiles. */
import { MessageChannel } from "node:worker_threads";
import { writeCapacity } from "../../protocol/capacity-word.ts";
import { Fault } from "../../protocol/faults.ts";
import { poolChecks } from "../../protocol/generated/messages/pool.ts";
import type { LibraryApi } from "../../protocol/messages/library.ts";
import type { PoolApi, PoolConfig } from "../../protocol/messages/pool.ts";
import { type RunsApi, runsDeadlines } from "../../protocol/messages/runs.ts";
import type { Capacity } from "../../protocol/records.ts";
import { inBackground } from "../kernel/background.ts";
import { keepWeights } from "../kernel/browser-weights.ts";
import { createChangeFeed } from "../kernel/change-feed.ts";
import { hostActor } from "../kernel/host.ts";
import type { Log } from "../kernel/log.ts";
import { createAdmission } from "./admission.ts";
import { Launches } from "./launches.ts";
import { createOpening, type OpeningParts, specOf } from "./opening.ts";
import { type Pressure, watchPressure } from "./pressure.ts";
import { whenQuiet } from "./quiet.ts";
import { Slots } from "./slot-queue.ts";
import { createSpares } from "./spares.ts";
import { createStatusEvents } from "./status-events.ts";
import { type Processes, systemProcesses } from "./thread-use.ts";

const noFleet: OpeningParts["runs"] = {
  bringHome: () => Promise.reject(new Fault("conflict", "this service has no fleet")),
};

export interface PoolParts {
  makeSpares?: typeof createSpares;
  makeAdmission?: (again: () => void) => (working: number) => boolean;
  makePressure?: typeof watchPressure;
  makeWeighing?: typeof keepWeights;
  processes?: Processes;
  runs?: OpeningParts["runs"];
}

/** The capacity for other threads, and for the page. */
function showCapacity(word: SharedArrayBuffer | undefined, changed: () => void) {
  let memoryShort = false;
  const of = ({ active, max, queued }: Slots): Capacity => ({
    active,
    max,
    queued,
    memory_short: memoryShort,
  });
  const show = (slots: Slots) => {
    changed();
    if (word !== undefined) writeCapacity(word, of(slots));
  };
  return {
    of,
    show,
    memoryIsShort(short: boolean, slots: Slots) {
      memoryShort = short;
      show(slots);
    },
  };
}

export function createPool(
  config: PoolConfig,
  log: Log,
  library: OpeningParts["library"] & Pick<LibraryApi, "noteEvents">,
  parts: PoolParts = {},
): PoolApi {
  const { makeSpares = createSpares, makeAdmission = createAdmission, makePressure = watchPressure } = parts;
  const { makeWeighing = keepWeights, processes = systemProcesses, runs = noFleet } = parts;
  const { capacityWord, engine } = config;
  const feed = createChangeFeed();
  const shown = showCapacity(capacityWord, () => feed.note("live")); // How many wait belongs to it.
  const slots: Slots = new Slots(
    config.max,
    shown.show,
    makeAdmission(() => slots.grant()),
    () => pressure.refusal(),
  );
  const spares = makeSpares({ engine }, config.spares, log);
  spares.refill();
  const makeBlank = async () => (await spares.idle()?.api.prepare({}))?.more ?? false;
  const quiet = engine.blanks === undefined ? null : whenQuiet(makeBlank);
  const status = createStatusEvents(library, log);
  const changed = () => {
    feed.note("live");
    status.changed(launches.live());
  };
  const { note, handoffEnds } = status;
  const launches = new Launches({
    slots,
    atOnce: engine.launchesAtOnce,
    spares,
    quiet,
    processes,
    log,
    changed,
    note,
    handoffEnds,
  });
  const pressure: Pressure = makePressure({
    log,
    starting: () => slots.active - launches.live().filter(({ status: now }) => now === "running").length,
    browserBytes: config.browserBytes,
    onShort() {
      shown.memoryIsShort(true, slots);
      const freezing = launches.each((api) => api.freezePages({}));
      inBackground(log, "freezing idle pages", freezing);
    },
    onOver() {
      shown.memoryIsShort(false, slots);
      slots.grant();
    },
  });

  const weighing = makeWeighing({
    file: config.weightsFile,
    pids: () => launches.live().flatMap(({ pid }) => pid ?? []),
    log,
  });

  const refuseLaunches = () => {
    feed.close();
    quiet?.close();
    pressure.close();
    weighing.close();
    launches.refuse(new Fault("conflict", "the service is stopping"));
  };

  const running = async (profileId: string) => {
    try {
      return launches.running(profileId);
    } catch (error) {
      await specOf(library, profileId); // An unknown profile gets an error of its own.
      throw error;
    }
  };

  return {
    launch: createOpening({ library, launches, log, runs }),
    changes: (input) => feed.changes(input),
    async cancelWait({ profileId, ticket }) {
      await launches.cancelWait(profileId, ticket);
      return null;
    },
    async endWaitedLaunches() {
      await launches.endWaited();
      return null;
    },
    async stop({ profileId, ticket }) {
      await launches.stop(profileId, ticket);
      return null;
    },
    async touch({ profileIds }) {
      await launches.each((api) => api.touch({}), profileIds);
      return null;
    },
    live: async () => launches.live(),
    capacity: async () => shown.of(slots),
    async connect({ profileId }) {
      const { thread } = await running(profileId);
      const { port1, port2 } = new MessageChannel();
      await thread.api.connect({ port: port1 });
      return { port: port2, debuggingPorts: launches.debuggingPorts() };
    },
    async setMax({ max }) {
      slots.setMax(max);
      return null;
    },
    async close() {
      refuseLaunches();
      await Promise.all([spares.close(), launches.stopAll()]);
      return null;
    },
    async kill() {
      refuseLaunches();
      await launches.killAll();
      return null;
    },
  };
}

hostActor<PoolConfig, PoolApi>("pool", poolChecks, async ({ config, log, peer }) => {
  const runs = peer<RunsApi>("runs", runsDeadlines);
  return createPool(config, log, peer<LibraryApi>("library"), { runs });
});
