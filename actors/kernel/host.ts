/** The thread's side of an actor: starts it, serves its interface, and keeps the ports to its peers. */
import { isMainThread, type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Fault, faultFrom, faultRecord } from "../../protocol/faults.ts";
import type { Checks } from "../../protocol/messages/checks.ts";
import type { Deadlines } from "../../protocol/messages/deadlines.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createLog, type Log } from "./log.ts";
import { createRemote, type Remote } from "./remote.ts";
import { serveApi } from "./rpc.ts";
import type { PortLike, WireMessage } from "./wire.ts";

/** The services that an actor receives at its start. */
export interface ActorContext<Config> {
  config: Config;
  log: Log;
  clock: Clock;
  /** The interface of another actor. Calls during its restart wait for it, within their deadline. */
  peer<Api extends object>(name: string, deadlines?: Deadlines<Api>): Api;
  /** Calls `act` after each restart of this peer, when it accepts calls again. */
  onPeerRestart(name: string, act: () => void): void;
  /** Sends the thread's owner a message that needs no answer. */
  notify(notice: object): void;
  exit(code: number): void;
}

/** The `workerData` of an actor's worker. */
export interface WorkerData {
  entry: string;
  name: string;
  config: unknown;
}

/** Creates an actor. Calls are served once this resolves; a rejection reaches the owner as a fault. */
export type StartActor<Config, Api> = (context: ActorContext<Config>) => Promise<Api>;

/** Called once at the bottom of each `actor.ts`. Does nothing in the main thread, so that tests can import the file. */
export function hostActor<Config, Api extends object>(
  name: string,
  checks: Checks<Api>,
  start: StartActor<Config, Api>,
): void {
  if (isMainThread || parentPort === null || workerData?.name !== name) return;
  // In a worker, process.exit ends only the thread.
  const thread = {
    name,
    port: parentPort,
    config: workerData.config,
    exit: (code: number) => process.exit(code),
  };
  runActor(thread, checks, start);
}

/** The thread that an actor runs on: a worker, or a test's substitute. */
export interface OwnThread {
  name: string;
  port: PortLike;
  config: unknown;
  exit(code: number): void;
}

/** Starts the actor and serves its interface to its owner, and on every further port that the owner sends. */
export function runActor<Config, Api extends object>(
  { name, port, config, exit }: OwnThread,
  checks: Checks<Api>,
  start: StartActor<Config, Api>,
): void {
  const log = createLog(name);
  const peers = new Map<string, Remote<object>>();
  const reached = new Map<string, MessagePort | Fault>();
  /** Peers that were connected before: a new port to one of them means that it restarted. */
  const met = new Set<string>();
  const restarts = new Map<string, (() => void)[]>();
  const point = (remote: Remote<object> | undefined, at: MessagePort | Fault | undefined) => {
    if (at instanceof Fault) remote?.detach(at, "refused");
    else if (at !== undefined) remote?.attach(at as PortLike);
  };
  const peer = <Peer extends object>(peerName: string, deadlines: Deadlines<Peer> = {}): Peer => {
    const known = peers.get(peerName);
    if (known !== undefined) return known.api as Peer; // The supervisor wires one interface to one name.
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
    config: config as Config, // The actor's own supervisor, in this process, sends it.
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
      // Deliver the messages that arrived during the start: the listener for peer ports was already on.
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
