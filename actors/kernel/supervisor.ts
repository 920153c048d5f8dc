/** Keeps the long-lived actors alive and wired to each other: one that dies is started again, its callers are told. */
import { Fault } from "../../protocol/faults.ts";
import { inBackground } from "./background.ts";
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
  /** Ends one thread for good. */
  end(name: ThreadName): Promise<void>;
}

const restartMsMin = 50;
const restartMsMax = 5_000;

interface Member {
  plan: ActorPlan;
  remote: Remote<object>;
  thread: ActorThread<object> | null;
  restartMs: number;
  ending: boolean;
}

/** Starts the actors in order. Rejects with the fault of the first that cannot start. */
export async function superviseActors(plans: ActorPlan[], log: Log): Promise<Supervisor> {
  const members = new Map<string, Member>();

  const wire = (from: Member, to: Member) => {
    if (from.thread === null || to.thread === null) return;
    from.thread.givePeer(to.plan.name, to.thread.callerPort());
  };
  const start = async (member: Member, restarted: boolean) => {
    const { name } = member.plan;
    const { entry } = member.plan;
    const options = entry === undefined ? { log } : { log, entry };
    const thread = startThread<object>(name, member.plan.config(restarted), options);
    member.thread = thread;
    for (const peer of member.plan.peers) {
      const target = members.get(peer);
      if (target !== undefined) wire(member, target);
    }
    inBackground(
      log,
      `the restart of the ${name} thread`,
      thread.exited.then((code) => onExit(member, thread, code)),
    );
    await thread.ready;
    member.remote.attach(thread.callerPort() as PortLike);
    member.restartMs = restartMsMin;
    for (const other of members.values()) {
      if (other !== member && other.plan.peers.includes(name)) wire(other, member);
    }
  };
  const onExit = (member: Member, thread: ActorThread<object>, code: number) => {
    if (member.thread !== thread) return;
    member.thread = null;
    const { name } = member.plan;
    member.remote.detach(
      new Fault("internal", `the ${name} thread ended; it is being restarted`),
      member.ending,
    );
    if (member.ending) return;
    const ms = member.restartMs;
    member.restartMs = Math.min(ms * 2, restartMsMax);
    log.error(`the ${name} thread ended; starting it again`, { code, inMs: ms });
    setTimeout(() => {
      if (member.ending) return;
      start(member, true).catch((error: unknown) => log.error(`the ${name} thread did not start`, { error }));
    }, ms);
  };
  const end = async (name: ThreadName) => {
    const member = members.get(name);
    if (member === undefined) return;
    member.ending = true;
    await member.thread?.terminate();
  };

  const add = async (more: ActorPlan[]) => {
    for (const plan of more) {
      const deadlines: Deadlines<object> = plan.deadlines ?? {};
      const remote = createRemote<object>(plan.name, { deadlines });
      const member: Member = { plan, remote, thread: null, restartMs: restartMsMin, ending: false };
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
    api<Api extends object>(name: ThreadName): Api {
      const member = members.get(name);
      if (member === undefined) throw new TypeError(`no actor is called ${name}`);
      return member.remote.api as Api; // One name, one interface: the plan says which.
    },
    end,
  };
}
