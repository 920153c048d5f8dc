/** Restarts long-lived actors that end, and connects them to each other again. */
import { Fault, faultRecord } from "../../protocol/faults.ts";
import { inBackground } from "./background.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ThreadName } from "./entries.ts";
import type { Log } from "./log.ts";
import { createRemote, type Remote } from "./remote.ts";
import { type ActorThread, startThread } from "./thread.ts";
import type { PortLike } from "./wire.ts";

/** A long-lived actor: the configuration of its thread, and the actors it may call. */
export interface ActorPlan {
  name: ThreadName;
  /** Called at every start; `restarted` is true after the first. */
  config(restarted: boolean): unknown;
  peers: ThreadName[];
  deadlines?: Partial<Record<string, number>>;
  entry?: string;
}

export interface Supervisor {
  /** The actor's interface. Calls during a restart wait for it, within their deadline. */
  api<Api extends object>(name: ThreadName): Api;
  add(plans: ActorPlan[]): Promise<void>;
  has(name: ThreadName): boolean;
  /** Ends one thread for good. False when it is stuck (see ActorThread.terminate). */
  end(name: ThreadName): Promise<boolean>;
}

// The delay before a restart doubles from min to max with each restart that follows soon.
const restartMsMin = 50;
const restartMsMax = 5_000;
/** After so long without an end, the delay starts at the minimum again. */
const steadyMs = 60_000;

interface Member {
  plan: ActorPlan;
  remote: Remote<object>;
  thread: ActorThread<object> | null;
  restartMs: number;
  servesSince: number | null;
  ending: boolean;
}

/**
 * Starts the actors in order. Rejects with the fault of the first that cannot start; restarts each that ends later, without a limit.
 * `onStderr` gets what their threads write to stderr, instead of this process's stderr.
 */
export async function superviseActors(
  plans: ActorPlan[],
  log: Log,
  clock: Clock = systemClock,
  onStderr?: (text: string) => void,
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
    const options = { log, onStderr, ...(entry === undefined ? {} : { entry }) };
    const thread = startThread<object>(name, member.plan.config(restarted), options);
    member.thread = thread;
    for (const peer of member.plan.peers) {
      const target = members.get(peer);
      // A target that does not serve yet is wired when it does: a second port would lose the calls on the first.
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
    log.error(`the ${name} thread ended; restarting it`, { code, inMs: member.restartMs });
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
  /** Refuses calls with the reason until a start succeeds, since that may take hours. */
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
      const remote = createRemote<object>(plan.name, { deadlines: plan.deadlines ?? {} });
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
      return member.remote.api as Api; // The plan assigns one interface to one name.
    },
    end,
  };
}
