/** Keeps the long-lived actors alive and wired to each other: one that dies is started again, its callers are told. */
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { inBackground } from "./background.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ThreadName } from "./entries.ts";
import type { Log } from "./log.ts";
import { createRemote, type Deadlines, type Remote } from "./remote.ts";
import { type ActorThread, startThread } from "./thread.ts";
import type { PortLike } from "./wire.ts";

/** A long-lived actor: its thread's configuration and the actors it may call. */
export interface ActorPlan {
  name: ThreadName;
  /** Asked anew for every start; `restarted` is true after the first. */
  config(restarted: boolean): unknown;
  /** Names of plans that stand before this one. */
  peers: ThreadName[];
  deadlines?: Partial<Record<string, number>>;
  /** As startThread's. */
  entry?: string;
}

export interface Supervisor {
  /** The actor's interface; calls made while it restarts wait for it, within their deadline. */
  api<Api extends object>(name: ThreadName): Api;
  /** Starts more actors, in order. Rejects with the fault of the first that cannot start. */
  add(plans: ActorPlan[]): Promise<void>;
  /** Whether such an actor was added. */
  has(name: ThreadName): boolean;
  /** Ends one thread for good. False when it is stuck (see ActorThread.terminate). */
  end(name: ThreadName): Promise<boolean>;
}

/** Before the first start anew, and at most: each that follows soon waits twice as long as the one before. */
const restartMsMin = 50;
const restartMsMax = 5_000;
/** An actor that has lived so long starts anew as if it had never ended. */
const steadyMs = 60_000;

interface Member {
  plan: ActorPlan;
  remote: Remote<object>;
  /** Null while it does not run. */
  thread: ActorThread<object> | null;
  restartMs: number;
  /** Since when it serves calls; null while it does not. */
  servesSince: number | null;
  ending: boolean;
}

/** Starts the actors in order. Rejects with the fault of the first that cannot start; one that ends later is started anew, however often. */
export async function superviseActors(
  plans: ActorPlan[],
  log: Log,
  clock: Clock = systemClock,
): Promise<Supervisor> {
  const members = new Map<string, Member>();

  const wire = (from: Member, to: Member) => {
    if (from.thread === null || to.thread === null) return;
    from.thread.givePeer(to.plan.name, to.thread.callerPort());
  };
  const callersOf = (member: Member) =>
    [...members.values()].filter((other) => other !== member && other.plan.peers.includes(member.plan.name));
  const start = async (member: Member, restarted: boolean) => {
    const { name, entry } = member.plan;
    const options = entry === undefined ? { log } : { log, entry };
    const thread = startThread<object>(name, member.plan.config(restarted), options);
    member.thread = thread;
    for (const peer of member.plan.peers) {
      const target = members.get(peer);
      // One that does not serve yet is wired to its callers when it does: a second port would lose calls on the first.
      if (target !== undefined && target.servesSince !== null) wire(member, target);
    }
    try {
      await thread.ready;
    } catch (error) {
      member.thread = null;
      await thread.terminate();
      throw error;
    }
    member.servesSince = clock.now();
    member.remote.attach(thread.callerPort() as PortLike);
    for (const caller of callersOf(member)) wire(caller, member);
    inBackground(
      log,
      `the restart of the ${name} thread`,
      thread.exited.then((code) => onExit(member, code)),
    );
  };
  const onExit = (member: Member, code: number) => {
    const since = member.servesSince ?? clock.now();
    member.thread = null;
    member.servesSince = null;
    if (member.ending) return;
    const { name } = member.plan;
    member.remote.detach(new Fault("internal", `the ${name} thread ended; it is being restarted`), "wait");
    if (clock.now() - since >= steadyMs) member.restartMs = restartMsMin;
    log.error(`the ${name} thread ended; starting it again`, { code, inMs: member.restartMs });
    restart(member);
  };
  const restart = (member: Member) => {
    const ms = member.restartMs;
    member.restartMs = Math.min(ms * 2, restartMsMax);
    clock.timer(ms, () => {
      if (member.ending) return;
      start(member, true).catch((error: unknown) => onFailedStart(member, error));
    });
  };
  /** Calls are refused with the reason until a start succeeds: nobody waits for what may take hours. */
  const onFailedStart = (member: Member, error: unknown) => {
    if (member.ending) return;
    const { name } = member.plan;
    const why = faultRecord(error);
    log.error(`the ${name} thread did not start; trying again`, { error, inMs: member.restartMs });
    const fault = new Fault("internal", `the ${name} thread does not start: ${why.message}`, why.detail);
    member.remote.detach(fault, "refused");
    for (const caller of callersOf(member)) caller.thread?.peerDown(name, fault);
    restart(member);
  };
  const end = async (name: ThreadName) => {
    const member = members.get(name);
    if (member === undefined) return true;
    member.ending = true;
    const ended = (await member.thread?.terminate()) ?? true;
    member.remote.detach(new Fault("internal", `the ${name} thread ended`), "refused");
    return ended;
  };

  const add = async (more: ActorPlan[]) => {
    for (const plan of more) {
      const deadlines: Deadlines<object> = plan.deadlines ?? {};
      const remote = createRemote<object>(plan.name, { deadlines });
      const state = { thread: null, restartMs: restartMsMin, servesSince: null, ending: false };
      const member: Member = { plan, remote, ...state };
      members.set(plan.name, member);
      await start(member, false).catch(async (error: unknown) => {
        await end(plan.name);
        throw error;
      });
    }
  };
  await add(plans);

  return {
    add,
    has: (name) => members.has(name),
    api<Api extends object>(name: ThreadName): Api {
      const member = members.get(name);
      if (member === undefined) throw new TypeError(`no actor is called ${name}`);
      return member.remote.api as Api; // One name, one interface: the plan says which.
    },
    end,
  };
}
