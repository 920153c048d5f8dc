/** Launches that queue, join, start or are refused, and stops; each profile has a lease. */
import type { NewEvent } from "../../protocol/events.ts";
import { Fault } from "../../protocol/faults.ts";
import type { HandoffChange } from "../../protocol/handoff.ts";
import type { PoolApi } from "../../protocol/messages/pool.ts";
import type { Downloaded, ProfileControlApi } from "../../protocol/messages/profile.ts";
import type { LaunchedProfile, LiveProfile } from "../../protocol/profile-spec.ts";
import { inBackground } from "../kernel/background.ts";
import { withDeadline } from "../kernel/deadline.ts";
import type { Log } from "../kernel/log.ts";
import { awaited, Lease, liveProfile, staysOpen, stoppedInQueue, stoppedMeanwhile, whyNot } from "./lease.ts";
import type { Quiet } from "./quiet.ts";
import type { Slots } from "./slot-queue.ts";
import { type Spares, whileAnswering } from "./spares.ts";
import { StartLimit, stopsAtOnce } from "./start-limit.ts";
import { type Processes, type ThreadUse, useThread } from "./thread-use.ts";

type ThreadLaunch = Parameters<ProfileControlApi["launch"]>[0];

type Asked = Parameters<PoolApi["launch"]>[0];

export interface LaunchInput
  extends Pick<Asked, "profileId" | "wait" | "waitMs" | "join" | "moment" | "owner" | "kind" | "ticket"> {
  /** Called when the launch has a slot, because what it reads may change while it waits. */
  read(): Promise<ThreadLaunch>;
}

export interface LaunchesParts {
  slots: Slots;
  /** How many browsers start at a time. */
  atOnce: number;
  spares: Spares;
  quiet: Quiet | null;
  processes: Processes;
  log: Log;
  /** Called after each change of what `live` returns. */
  changed(): void;
  note(event: NewEvent): void;
  /** Called before `changed`. */
  handoffEnds(profileId: string, outcome: string): void;
}

/** A process that survives SIGKILL this long is blocked on a disk and keeps its slot. */
const goneMs = 50_000;

export class Launches {
  /** The newest of each profile; of an ended one only if it crashed. */
  readonly #newest = new Map<string, Lease>();
  readonly #parts: LaunchesParts;
  readonly #starts: StartLimit;
  readonly #stops: StartLimit;
  #closing: Fault | null = null;

  constructor(parts: LaunchesParts) {
    this.#parts = parts;
    this.#starts = new StartLimit(parts.atOnce);
    this.#stops = new StartLimit(stopsAtOnce(parts.atOnce));
  }

  async launch(given: LaunchInput): Promise<LaunchedProfile> {
    const { profileId, wait, join = wait, ticket = null, moment = false, read } = given;
    let before = this.#newest.get(profileId) ?? null;
    for (let until = awaited(before, join); before && until; until = awaited(before, join)) {
      await before.join({ ticket, stays: staysOpen({ wait, moment }) }, until);
      before = this.#newest.get(profileId) ?? null;
    }
    if (this.#closing !== null) throw this.#closing;
    const phase = before?.phase;
    if (join && phase?.name === "running") return { ...phase.launched, joined: true };
    if (phase?.name === "running") throw new Fault("conflict", `profile ${profileId} is already running`);
    if (before?.launching === true && phase?.name !== "stopping")
      throw new Fault("conflict", `profile ${profileId} is already starting`);
    const lease = new Lease({ profileId, wait, ticket, moment }, before);
    this.#newest.set(profileId, lease);
    const launchOver = this.#parts.quiet?.disturb();
    try {
      await this.#admit(lease, given);
      const input = await read();
      return await this.#starts.pass((hold) => this.#start(lease, input, hold));
    } finally {
      if (!lease.hadThread) this.#leave(lease);
      launchOver?.();
      lease.launchOver.resolve();
    }
  }

  /** Returns when the lease has a slot. */
  async #admit(lease: Lease, { waitMs = 0, owner, kind }: LaunchInput): Promise<void> {
    const { slots, changed } = this.#parts;
    await lease.before?.gone.promise;
    throwIfRefused(lease);
    if (lease.wait) await slots.wait(lease.profileId, owner, kind);
    else if (waitMs > 0) await slots.waitAtMost(lease.profileId, waitMs, owner);
    else slots.take(lease.profileId);
    throwIfRefused(lease);
    lease.phase = { name: "admitted" };
    lease.before = null;
    changed();
  }

  async #start(lease: Lease, input: ThreadLaunch, onSlow: () => void): Promise<LaunchedProfile> {
    const { spares, changed } = this.#parts;
    if (this.#closing !== null) throw this.#closing;
    throwIfRefused(lease);
    const use = this.#useThread(lease, onSlow);
    const stillStarts = () => {
      if (lease.phase.name !== "starting") throw stoppedMeanwhile(lease.profileId);
    };
    try {
      const startedAt = performance.now();
      // Start threads before browsers: a starting browser takes the cores from the threads of other launches.
      await spares.takenStarted();
      stillStarts();
      const answer = await whileAnswering(use.thread, use.thread.api.launch(input));
      stillStarts();
      const launched = { ...answer, launchMs: performance.now() - startedAt };
      lease.phase = { name: "running", use, launched };
      changed();
      return launched;
    } catch (error) {
      await use.terminate();
      await lease.gone.promise;
      throw error;
    } finally {
      // Reply first, because starting a thread blocks this one for some milliseconds.
      setImmediate(() => {
        if (this.#closing === null) spares.refill();
      });
    }
  }

  #useThread(lease: Lease, onSlow: () => void): ThreadUse {
    const { spares, slots, log, processes } = this.#parts;
    const onEnding = () => {
      const { phase } = lease;
      if (phase.name === "starting" || phase.name === "running") lease.phase = { ...phase, name: "ending" };
      slots.leaving(lease.profileId);
    };
    const { profileId } = lease;
    const onHandoff = (change: HandoffChange) => {
      const ended = "outcome" in change;
      if (ended) this.#parts.handoffEnds(profileId, change.outcome);
      lease.handoff = ended ? null : change.message;
      this.#parts.changed();
    };
    const onDownloaded = ({ id, name, failed }: Downloaded) =>
      this.#parts.note({
        type: "download.done",
        profile_id: profileId,
        download_id: id,
        message: name,
        status: failed ? "failed" : "completed",
      });
    const heard = { onSlow, onEnding, onHandoff, onDownloaded };
    const use = useThread(spares.take(), { profileId, log, processes, ...heard });
    lease.phase = { name: "starting", use, launched: null };
    const left = use.gone.then((end) => {
      lease.end(end);
      if (end.vacant) spares.giveBack(use.thread);
      this.#leave(lease);
    });
    inBackground(log, "the end of a lease", left);
    return use;
  }

  /** The lease has no browser any more. A lease that never had one leaves the previous one's crash in the listing. */
  #leave(lease: Lease): void {
    const { profileId, phase, before } = lease;
    if (phase.name !== "queued") this.#parts.slots.free(profileId);
    if (phase.name !== "ended") lease.phase = { name: "ended", as: "stopped" };
    const shown = phase.name === "ended" ? lease : before;
    if (this.#newest.get(profileId) === lease) {
      if (shown?.phase.name === "ended" && shown.phase.as === "crashed") this.#newest.set(profileId, shown);
      else this.#newest.delete(profileId);
    }
    lease.gone.resolve();
    this.#parts.changed();
  }

  async stop(profileId: string, ticket?: string): Promise<void> {
    const lease = this.#newest.get(profileId);
    if (lease === undefined || (ticket !== undefined && lease.ticket !== ticket)) return;
    if (ticket === undefined) {
      for (const { stays, cancel } of lease.joiners) if (stays) cancel(stoppedMeanwhile(profileId));
      if (lease.phase.name === "queued" && lease.stays) this.#refuseQueued(lease, stoppedInQueue(profileId));
    }
    await this.#stop(lease);
    // A stop acknowledges a crash.
    if (this.#newest.get(profileId) !== lease || lease.phase.name !== "ended") return;
    this.#newest.delete(profileId);
    this.#parts.changed();
  }

  async #stop(lease: Lease): Promise<void> {
    const { phase, profileId, before } = lease;
    switch (phase.name) {
      case "ended":
        return;
      case "queued":
      case "refused":
        if (before !== null) await this.#stop(before);
        lease.before = null;
        return;
      case "admitted":
        lease.phase = { name: "refused", fault: stoppedMeanwhile(profileId) };
        return;
      case "starting":
      case "running":
      case "ending": {
        const { use, launched } = phase;
        lease.phase = { name: "stopping", use, launched };
        this.#parts.slots.leaving(profileId);
        // Without a thread, it has ended while its stop waited for others.
        const stopping = this.#stops.passBriefly(async () => lease.use?.thread.api.stop({}));
        await stopping.catch(async (error: unknown) => {
          this.#parts.log.error("a profile thread did not stop; ending it", { profileId, error });
          await use.terminate();
        });
      }
    }
    await withDeadline(lease.gone.promise, goneMs, `the end of the browser of profile ${profileId}`);
  }

  /**
   * Cancels a launch that waits for a slot or joins another, and stops one of a run that starts. Without a ticket every
   * launch of the profile, else the one that has it.
   */
  async cancelWait(profileId: string, ticket?: string): Promise<void> {
    const fault = new Fault("conflict", `profile ${profileId} no longer waits for a browser slot`);
    const lease = this.#newest.get(profileId);
    if (lease === undefined) return;
    const isMeant = (one: { ticket: string | null }) => ticket === undefined || one.ticket === ticket;
    for (const joiner of lease.joiners) if (isMeant(joiner)) joiner.cancel(fault);
    if (!isMeant(lease) || !lease.launching) return;
    if (lease.phase.name === "queued") this.#refuseQueued(lease, fault);
    else if (lease.wait) await this.stop(profileId, ticket);
  }

  #refuseQueued(lease: Lease, fault: Fault): void {
    lease.phase = { name: "refused", fault: this.#closing ?? fault };
    this.#parts.slots.cancel(lease.profileId, fault);
  }

  /** Ends the launches of runs, and the browsers that they opened. */
  async endWaited(): Promise<void> {
    const leases = [...this.#newest.values()];
    const cancelled = leases
      .filter(({ wait, joiners }) => wait || joiners.size > 0)
      .map(({ profileId }) => this.cancelWait(profileId));
    const stopped = leases.filter(({ wait }) => wait).map(({ profileId }) => this.stop(profileId));
    await Promise.all([...cancelled, ...stopped]);
  }

  refuse(closing: Fault): void {
    this.#closing = closing;
    this.#parts.slots.close(closing);
    for (const { profileId, joiners } of this.#newest.values())
      for (const { cancel } of joiners) cancel(stoppedMeanwhile(profileId));
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#newest.keys()].map((profileId) => this.stop(profileId)));
  }

  async killAll(): Promise<void> {
    const leases = [...this.#newest.values()].flatMap((lease) => [lease, lease.before ?? lease]);
    const withThread = leases.filter(({ use }) => use !== null);
    await Promise.all(withThread.map(({ use }) => use?.kill()));
    await Promise.all(withThread.map(({ gone }) => gone.promise));
  }

  live(): LiveProfile[] {
    return [...this.#newest.values()].flatMap((lease) => liveProfile(lease) ?? []);
  }

  debuggingPorts(): number[] {
    return this.live().flatMap(({ cdpUrl }) => (cdpUrl === null ? [] : [Number(new URL(cdpUrl).port)]));
  }

  /** Calls the threads of these profiles, or of all, and ignores those that have just ended. */
  async each(
    call: (api: ProfileControlApi) => Promise<unknown>,
    profileIds: Iterable<string> = this.#newest.keys(),
  ): Promise<void> {
    const uses = [...profileIds].flatMap((id) => this.#newest.get(id)?.use ?? []);
    await Promise.allSettled(uses.map(({ thread }) => call(thread.api)));
  }

  /** Throws `conflict` if the profile does not run. */
  running(profileId: string): ThreadUse {
    const lease = this.#newest.get(profileId);
    if (lease?.phase.name === "running") return lease.phase.use;
    const why = lease === undefined ? "not running" : whyNot(lease);
    throw new Fault("conflict", `profile ${profileId} is ${why}`);
  }
}

function throwIfRefused({ phase }: Lease): void {
  if (phase.name === "refused") throw phase.fault;
}
