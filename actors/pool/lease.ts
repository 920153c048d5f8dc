/** A lease binds one profile to a slot and a thread, from the accepted launch to the end of its process. */
import { Fault } from "../../protocol/faults.ts";
import type { LaunchedProfile, LiveProfile } from "../../protocol/profile-spec.ts";
import { createDeferred } from "../kernel/deferred.ts";
import type { ThreadUse, UseEnd } from "./thread-use.ts";

export type LeasePhase =
  /** Waits for the end of the profile's previous lease, or for a slot. */
  | { name: "queued" }
  /** Has a slot, and waits until few other browsers start. */
  | { name: "admitted" }
  /** Cancelled or stopped before it had a thread. */
  | { name: "refused"; fault: Fault }
  | { name: "starting"; use: ThreadUse; launched: null }
  | { name: "running"; use: ThreadUse; launched: LaunchedProfile }
  /** By a call; or by itself, `ending`. */
  | { name: "stopping" | "ending"; use: ThreadUse; launched: LaunchedProfile | null }
  | { name: "ended"; as: "stopped" | "crashed" };

/** Whether a stop of the user ends its wait: not for a run, which goes on, nor for one call, which opens the browser for itself only. */
export const staysOpen = ({ wait, moment }: { wait: boolean; moment: boolean }) => !wait && !moment;

interface Joiner {
  ticket: string | null;
  /** `staysOpen` of its launch. */
  stays: boolean;
  cancel(fault: Fault): void;
}

export class Lease {
  readonly profileId: string;
  /** Whether a run or schedule launches: it waits for a slot, and joins a browser that another launch opens. */
  readonly wait: boolean;
  /** The profile's previous lease, until this one has a slot. */
  before: Lease | null;
  phase: LeasePhase = { name: "queued" };
  /** The handoff's message while the user has the profile; otherwise null. */
  handoff: string | null = null;
  /** Settles when the launch has succeeded or failed. */
  readonly launchOver = createDeferred<void>();
  /** Settles when browser and thread are gone and the slot is free. */
  readonly gone = createDeferred<void>();
  /** Launches that wait for this one. */
  readonly joiners = new Set<Joiner>();
  /** Names the launch for `cancelWait` and `stop`; null: without a name. */
  readonly ticket: string | null;
  /** Whether it is open for one call only. */
  readonly moment: boolean;

  constructor(
    { profileId, wait, ticket, moment }: Pick<Lease, "profileId" | "wait" | "ticket" | "moment">,
    before: Lease | null,
  ) {
    this.profileId = profileId;
    this.wait = wait;
    this.ticket = ticket;
    this.moment = moment;
    this.before = before;
  }

  /** Null without a thread. */
  get use(): ThreadUse | null {
    return "use" in this.phase ? this.phase.use : null;
  }

  /** Whether it has or had a thread. Such a lease ends with its thread. */
  get hadThread(): boolean {
    return "use" in this.phase || this.phase.name === "ended";
  }

  get stays(): boolean {
    return staysOpen(this);
  }

  get launching(): boolean {
    const { phase } = this;
    if ("launched" in phase) return phase.launched === null;
    return phase.name !== "ended";
  }

  /** Waits for this launch, or for the browser's end. Rejects with the fault that its joiner is cancelled with. */
  async join({ ticket, stays }: Omit<Joiner, "cancel">, until: "launchOver" | "gone"): Promise<void> {
    const cancelled = createDeferred<Fault>();
    const joiner: Joiner = { ticket, stays, cancel: cancelled.resolve };
    this.joiners.add(joiner);
    try {
      const fault = await Promise.race([this[until].promise, cancelled.promise]);
      if (fault instanceof Fault) throw fault;
    } finally {
      this.joiners.delete(joiner);
    }
  }

  /** An unexpected exit of the thread closes the pipe, which ends the browser (actors/README.md, "Lifeline"). */
  end({ reported, exitCode }: UseEnd): void {
    const { phase } = this;
    const unexpected =
      exitCode !== 0 && phase.name !== "stopping" && "launched" in phase && phase.launched !== null;
    this.phase = { name: "ended", as: unexpected ? "crashed" : (reported ?? "stopped") };
  }
}

export const stoppedMeanwhile = (profileId: string) =>
  new Fault("conflict", `profile ${profileId} was stopped while it started`);

export const stoppedInQueue = (profileId: string) =>
  new Fault("conflict", `profile ${profileId} was stopped while its launch waited`);

/** What a launch waits for before it looks again; null: for nothing. */
export function awaited(before: Lease | null, join: boolean): "gone" | "launchOver" | null {
  if (before?.moment === true && before.phase.name !== "ended") return "gone";
  return join && before?.launching === true ? "launchOver" : null;
}

/** What the listing shows of a profile; null: nothing, it is stopped. */
export function liveProfile({ profileId, phase, before, handoff }: Lease): LiveProfile | null {
  const idle = (status: "starting" | "crashed") => ({ profileId, status, cdpUrl: null, headless: false });
  switch (phase.name) {
    case "queued":
    case "refused":
      return before === null ? null : liveProfile(before);
    case "ended":
      return phase.as === "crashed" ? idle("crashed") : null;
    case "admitted":
    case "starting":
      return idle("starting");
    default: {
      if (phase.launched === null) return idle("starting");
      const { cdpUrl, headless, pid } = phase.launched;
      const asked = handoff === null ? {} : { handoff };
      return { profileId, status: "running", cdpUrl, pid, headless, ...asked };
    }
  }
}

/** Why a profile that does not run cannot be called, in words. */
export function whyNot({ phase, before }: Lease): string {
  switch (phase.name) {
    case "queued":
    case "refused":
      return before === null ? "not running" : whyNot(before);
    case "ended":
      return phase.as === "crashed" ? "crashed; launch it again" : "not running";
    case "stopping":
    case "ending":
      return "stopping";
    default:
      return "starting";
  }
}
