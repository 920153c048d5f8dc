/** The thread's side of an actor: starts it, serves its interface on the parent's port, keeps its peers' ports. */
import { isMainThread, type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Fault, faultFrom, faultRecord } from "../../protocol/faults.ts";
import type { Checks } from "../../protocol/messages/checks.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createLog, type Log } from "./log.ts";
import { createRemote, type Deadlines, type Remote } from "./remote.ts";
import { serveApi } from "./rpc.ts";
import type { PortLike, WireMessage } from "./wire.ts";

/** What an actor is given. */
export interface ActorContext<Config> {
  config: Config;
  log: Log;
  clock: Clock;
  /** Another actor, wired by the supervisor; calls made while it restarts wait for it, within their deadline. */
  peer<Api extends object>(name: string, deadlines?: Deadlines<Api>): Api;
  /** Calls `act` each time that this peer can be called again after a restart. */
  onPeerRestart(name: string, act: () => void): void;
  /** Tells the owner of this thread something that needs no answer. */
  notify(notice: object): void;
  /** Ends the thread. */
  exit(code: number): void;
}

/** What a worker is started with; `thread.ts` fills it in. */
export interface WorkerData {
  entry: string;
  name: string;
  config: unknown;
}

/** What makes an actor of its thread: slow or not, calls are served when it has answered; when it throws the owner gets its fault. */
export type StartActor<Config, Api> = (context: ActorContext<Config>) => Promise<Api>;

/** Called at the bottom of each `actor.ts`, once. Does nothing in the main thread, so that tests may import the file. */
export function hostActor<Config, Api extends object>(
  name: string,
  checks: Checks<Api>,
  start: StartActor<Config, Api>,
): void {
  if (isMainThread || parentPort === null || workerData?.name !== name) return;
  // In a worker this ends the thread, not the process.
  const thread = {
    name,
    port: parentPort,
    config: workerData.config,
    exit: (code: number) => process.exit(code),
  };
  runActor(thread, checks, start);
}

/** What an actor runs on: a worker thread, or a test's stand-in for one. */
export interface OwnThread {
  name: string;
  /** To whoever started it. */
  port: PortLike;
  config: unknown;
  exit(code: number): void;
}

/** Starts the actor and serves its interface on the port of its owner, and on those that the owner sends. */
export function runActor<Config, Api extends object>(
  { name, port, config, exit }: OwnThread,
  checks: Checks<Api>,
  start: StartActor<Config, Api>,
): void {
  const log = createLog(name);
  const peers = new Map<string, Remote<object>>();
  /** What is known of an actor that may be called: the port to it, or why there is none. */
  const reached = new Map<string, MessagePort | Fault>();
  /** Peers that were reached once: a further port is one to an actor that was started again. */
  const met = new Set<string>();
  /** By peer. */
  const restarts = new Map<string, (() => void)[]>();
  const point = (remote: Remote<object> | undefined, at: MessagePort | Fault | undefined) => {
    if (at instanceof Fault) remote?.detach(at, "refused");
    else if (at !== undefined) remote?.attach(at as PortLike);
  };
  const peer = <Peer extends object>(peerName: string, deadlines: Deadlines<Peer> = {}): Peer => {
    const known = peers.get(peerName);
    if (known !== undefined) return known.api as Peer; // One name, one interface: the supervisor wires it so.
    const remote = createRemote<Peer>(peerName, { deadlines });
    peers.set(peerName, remote);
    point(remote, reached.get(peerName));
    return remote.api;
  };
  const reach = (peerName: string, at: MessagePort | Fault) => {
    reached.set(peerName, at);
    point(peers.get(peerName), at);
    if (at instanceof Fault) return;
    if (met.has(peerName)) for (const act of restarts.get(peerName) ?? []) act();
    met.add(peerName);
    at.on("close", () => {
      if (reached.get(peerName) !== at) return;
      reached.delete(peerName);
      const fault = new Fault("internal", `the ${peerName} thread ended; it is being restarted`);
      peers.get(peerName)?.detach(fault, "wait");
    });
  };
  let early: WireMessage[] | null = [];
  port.on("message", (message: WireMessage) => {
    const notice = "notice" in message ? message.notice : null;
    if (notice?.kind === "peer") reach(notice.name, notice.port);
    else if (notice?.kind === "peer-down") reach(notice.name, faultFrom(notice.fault));
    else early?.push(message);
  });
  const context: ActorContext<Config> = {
    config: config as Config, // Given by the actor's own supervisor, in this process.
    log,
    clock: systemClock,
    peer,
    onPeerRestart: (peerName, act) => void restarts.set(peerName, [...(restarts.get(peerName) ?? []), act]),
    notify: (body) => port.postMessage({ notice: { kind: "actor", body } }),
    exit,
  };
  start(context).then(
    (api) => {
      const own = serveApi(port, api, checks, { log });
      const callers = serveCallers(port, api, checks, log);
      // What came while the actor started has waited here: a listener was there already, for the peers' ports.
      for (const message of early ?? []) {
        own.take(message);
        callers(message);
      }
      early = null;
      port.postMessage({ notice: { kind: "ready" } });
    },
    (error: unknown) => {
      port.postMessage({ notice: { kind: "start-failed", fault: faultRecord(error) } });
    },
  );
}

/** Further callers come as ports: the same interface, served on each. */
function serveCallers<Api extends object>(
  port: PortLike,
  api: Api,
  checks: Checks<Api>,
  log: Log,
): (message: WireMessage) => void {
  const take = (message: WireMessage) => {
    if (!("notice" in message) || message.notice.kind !== "caller") return;
    serveApi(message.notice.port as PortLike, api, checks, { log });
  };
  port.on("message", take);
  return take;
}
