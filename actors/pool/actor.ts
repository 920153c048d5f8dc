/** The pool actor: slots, spare threads, and the threads of running profiles. */

import { MessageChannel } from "node:worker_threads";
import { writeCapacity } from "../../protocol/capacity-word.ts";
import { Fault } from "../../protocol/faults.ts";
import { poolChecks } from "../../protocol/generated/messages.ts";
import type { PoolApi, PoolConfig } from "../../protocol/messages/pool.ts";
import type { LaunchedProfile, LiveProfile } from "../../protocol/profile-spec.ts";
import { createChangeFeed } from "../kernel/change-feed.ts";
import { withDeadline } from "../kernel/deadline.ts";
import { createDeferred } from "../kernel/deferred.ts";
import { hostActor } from "../kernel/host.ts";
import type { Log } from "../kernel/log.ts";
import { Gate } from "./gate.ts";
import { type Lease, liveProfile, openLease, systemProcesses } from "./lease.ts";
import { whenQuiet } from "./quiet.ts";
import { createRoom } from "./room.ts";
import { Slots } from "./slots.ts";
import { createSpares, whileAnswering } from "./spares.ts";

type LaunchInput = Parameters<PoolApi["launch"]>[0];

interface Accepted {
  /** Settles when the launch has ended, successful or not. */
  over: Promise<void>;
  wait: boolean;
  phase: "waiting" | "starting";
  stopped: boolean;
  cancelled: Fault | null;
}

/** Long enough that launches in a row do not share the cores with a fork. */
const forkAfterMs = 50;

/** A process that survives SIGKILL this long is blocked on a disk and keeps its slot. */
const goneMs = 50_000;

const stoppedMeanwhile = (profileId: string) =>
  new Fault("conflict", `profile ${profileId} was stopped while it started`);

export function createPool(
  config: PoolConfig,
  log: Log,
  makeSpares = createSpares,
  makeRoom: (again: () => void) => (working: number) => boolean = createRoom,
  processes = systemProcesses,
): PoolApi {
  const { capacityWord } = config;
  const slots: Slots = new Slots(
    config.max,
    (now) => {
      if (capacityWord !== undefined) writeCapacity(capacityWord, now);
    },
    makeRoom(() => slots.grant()),
  );
  const starts = new Gate(config.engine.launchesAtOnce);
  const spares = makeSpares({ engine: config.engine }, config.spares, log);
  const leases = new Map<string, Lease>();
  /** Launches without a thread: waiting for a slot, or at the gate. */
  const accepted = new Map<string, Accepted>();
  const crashed = new Set<string>();
  const joining = new Set<{ profileId: string; cancel(fault: Fault): void }>();
  /** Profiles that a run launches or has launched. */
  const waited = new Set<string>();
  const feed = createChangeFeed();
  const changed = () => feed.note("live");
  let closing: Fault | null = null;
  spares.refill();
  const quiets = [
    whenQuiet(async () => {
      await spares.forkAhead();
      return false;
    }, forkAfterMs),
  ];
  if (config.engine.blanks !== undefined)
    quiets.push(whenQuiet(async () => (await spares.idle()?.api.prepare({}))?.more ?? false));

  const onGone = (lease: Lease) => {
    leases.delete(lease.profileId);
    waited.delete(lease.profileId);
    if (lease.endedAs === "crashed") crashed.add(lease.profileId);
    if (lease.vacant) spares.giveBack(lease.thread);
    slots.free(lease.profileId);
    changed();
  };

  const onEnding = ({ profileId }: Lease) => slots.leaving(profileId);

  const start = async (input: LaunchInput, onSlow: () => void): Promise<LaunchedProfile> => {
    const { spec, ...how } = input;
    const lease = openLease(spec.profileId, spares.take(), log, { processes, onSlow, onEnding, onGone });
    leases.set(spec.profileId, lease);
    try {
      const startedAt = performance.now();
      // Start threads before browsers: a starting browser takes the cores from the threads of other launches.
      await spares.takenStarted();
      if (lease.phase !== "starting") throw stoppedMeanwhile(spec.profileId);
      const launched = await whileAnswering(lease.thread, lease.thread.api.launch({ spec, ...how }));
      if (lease.phase !== "starting") throw stoppedMeanwhile(spec.profileId);
      lease.phase = "running";
      changed();
      lease.launched = { ...launched, launchMs: performance.now() - startedAt };
      return lease.launched;
    } catch (error) {
      await lease.terminate();
      await lease.gone;
      throw error;
    } finally {
      // Reply first, because starting a thread blocks this one for some milliseconds.
      setImmediate(() => {
        if (closing === null) spares.refill();
      });
    }
  };

  const otherLaunches = async (profileId: string): Promise<void> => {
    let cancel = (_fault: Fault): void => {};
    const cancelled = new Promise<never>((_resolve, reject) => {
      cancel = reject;
    });
    cancelled.catch(() => {});
    const joiner = { profileId, cancel };
    joining.add(joiner);
    try {
      for (let entry = accepted.get(profileId); entry !== undefined; entry = accepted.get(profileId))
        await Promise.race([entry.over, cancelled]);
    } finally {
      joining.delete(joiner);
    }
  };

  const launch = async (input: LaunchInput): Promise<LaunchedProfile> => {
    const { profileId } = input.spec;
    while (input.wait && accepted.has(profileId)) await otherLaunches(profileId);
    if (closing !== null) throw closing;
    const lease = leases.get(profileId);
    if (input.wait && lease?.phase === "running" && !lease.ending && lease.launched !== null)
      return { ...lease.launched, joined: true };
    if (accepted.has(profileId) || lease?.ending === false)
      throw new Fault(
        "conflict",
        `profile ${profileId} is already ${lease?.ending === false ? lease.phase : "starting"}`,
      );
    const over = createDeferred<void>();
    const entry: Accepted = {
      over: over.promise,
      wait: input.wait,
      phase: "waiting",
      stopped: false,
      cancelled: null,
    };
    accepted.set(profileId, entry);
    const launched = quiets.map((quiet) => quiet.disturb());
    try {
      await lease?.gone;
      if (entry.cancelled !== null) throw entry.cancelled;
      if (input.wait) waited.add(profileId);
      if (input.wait) await slots.wait(profileId);
      else slots.take(profileId);
      entry.phase = "starting";
      changed();
      try {
        crashed.delete(profileId);
        return await starts.pass(async (hold) => {
          if (closing !== null) throw closing;
          if (entry.stopped) throw stoppedMeanwhile(profileId);
          return start(input, hold);
        });
      } finally {
        // Without a lease, no process was started or it has ended.
        if (!leases.has(profileId)) slots.free(profileId);
      }
    } finally {
      accepted.delete(profileId);
      if (!leases.has(profileId)) waited.delete(profileId);
      for (const end of launched) end();
      over.resolve();
    }
  };

  const stop = async (profileId: string): Promise<void> => {
    crashed.delete(profileId);
    const lease = leases.get(profileId);
    if (lease === undefined) {
      const entry = accepted.get(profileId);
      if (entry?.phase === "starting") entry.stopped = true;
      return;
    }
    if (lease.phase !== "stopping") {
      lease.phase = "stopping";
      lease.ending = true;
      slots.leaving(profileId);
      await lease.thread.api.stop({}).catch(async (error: unknown) => {
        log.error("a profile thread did not stop; ending it", { profileId, error });
        await lease.terminate();
      });
    }
    await withDeadline(lease.gone, goneMs, `the end of the browser of profile ${profileId}`);
    crashed.delete(profileId);
  };

  const cancelWait = async (profileId: string): Promise<void> => {
    const fault = new Fault("conflict", `profile ${profileId} no longer waits for a browser slot`);
    for (const joiner of joining) if (joiner.profileId === profileId) joiner.cancel(fault);
    slots.cancel(profileId, fault);
    const entry = accepted.get(profileId);
    if (entry?.wait !== true) return;
    if (entry.phase === "waiting") entry.cancelled = fault;
    else await stop(profileId);
  };

  const refuseLaunches = () => {
    closing = new Fault("conflict", "the service is stopping");
    feed.close();
    for (const quiet of quiets) quiet.close();
    slots.close(closing);
    for (const { profileId, cancel } of joining) cancel(stoppedMeanwhile(profileId));
  };

  const running = (profileId: string): Lease => {
    const lease = leases.get(profileId);
    if (lease?.phase === "running" && !lease.ending) return lease;
    const what =
      lease === undefined && crashed.has(profileId)
        ? "crashed; launch it again"
        : lease?.ending === true
          ? "stopping"
          : (lease?.phase ?? "not running");
    throw new Fault("conflict", `profile ${profileId} is ${what}`);
  };

  return {
    launch,
    changes: (input) => feed.changes(input),
    async cancelWait({ profileId }) {
      await cancelWait(profileId);
      return null;
    },
    async endWaitedLaunches() {
      const ids = [...waited];
      const cancelled = [...ids, ...[...joining].map((joiner) => joiner.profileId)].map(cancelWait);
      await Promise.all([...cancelled, ...ids.map(stop)]);
      return null;
    },
    async stop({ profileId }) {
      await stop(profileId);
      return null;
    },
    async touch({ profileIds }) {
      const threads = profileIds.flatMap((id) => leases.get(id)?.thread ?? []);
      // A thread that has just ended rejects the call and has no timer.
      await Promise.allSettled(threads.map((thread) => thread.api.touch({})));
      return null;
    },
    async live() {
      const starting = [...accepted].filter(([id, entry]) => entry.phase === "starting" && !leases.has(id));
      return [
        ...[...leases.values()].map(liveProfile),
        ...starting.map(([id]): LiveProfile => idle(id, "starting")),
        ...[...crashed].map((id): LiveProfile => idle(id, "crashed")),
      ];
    },
    async capacity() {
      return { active: slots.active, max: slots.max, queued: slots.queued };
    },
    async connect({ profileId }) {
      const { port1, port2 } = new MessageChannel();
      await running(profileId).thread.api.connect({ port: port1 });
      return { port: port2 };
    },
    async setMax({ max }) {
      slots.setMax(max);
      return null;
    },
    async close() {
      refuseLaunches();
      await Promise.all([spares.close(), ...[...leases.keys()].map(stop)]);
      return null;
    },
    async kill() {
      refuseLaunches();
      await Promise.all([...leases.values()].map((lease) => lease.kill()));
      await Promise.all([...leases.values()].map((lease) => lease.gone));
      return null;
    },
  };
}

function idle(profileId: string, status: "starting" | "crashed"): LiveProfile {
  return { profileId, status, cdpUrl: null, headless: false };
}

hostActor<PoolConfig, PoolApi>("pool", poolChecks, async ({ config, log }) => createPool(config, log));
