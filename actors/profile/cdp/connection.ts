/** The control channel: numbers commands and routes replies and events to their sessions. */

import type { Readable, Writable } from "node:stream";
import { limits } from "../../../protocol/limits.ts";
import { createDeferred } from "../../kernel/deferred.ts";
import { followTrail } from "../../kernel/trail.ts";
import { fieldsOf, read, type Unread } from "./cbor.ts";
import { openPipe, type Pipe } from "./pipe.ts";
import {
  type ClientListener,
  type PipeClient,
  PipeClients,
  type Subject,
  subjectOf,
} from "./pipe-clients.ts";
import { CdpSession, type Wire } from "./session.ts";
import { loggedTraffic, type Outgoing, type Watcher } from "./traffic.ts";

export interface Connection {
  root: CdpSession;
  session(id: string): CdpSession | undefined;
  /** Sends the commands of `work`, of any session, in one write: a paused target is then resumed without delay. */
  together<T>(work: () => T): T;
  /** Attaches another client to the browser. Rejects when the browser has ended. */
  openClient(listener: ClientListener): Promise<PipeClient>;
  /** Removes the default timeout of commands until the returned function is called: a launch has its own timeout. */
  beginLaunch(): () => void;
  /** Calls `begin` before input goes to a page and when a client attaches, and its result when that has ended. */
  onInput(begin: () => () => void): void;
  /** Calls `begin` when a client attaches, and its result when the client has gone. */
  onClient(begin: () => () => void): void;
  /** Calls the listener when an attached client is detached. */
  onClientGone(listener: () => void): void;
  /** How many commands of clients may have brought another tab to the front. */
  clientActs(): number;
  /** Ends the other clients' sessions of this target; to them, the target has closed. */
  detachClients(targetId: string): void;
  /** Shows a watcher all messages, until the returned function is called. */
  watchTraffic(watcher: Watcher): () => void;
  backlog(): number;
  drained(): Promise<void>;
  gone: Promise<void>;
  close(): void;
}

/** Speaks the DevTools protocol with flat sessions. A closed pipe rejects all pending commands. */
export function connect(output: Writable, input: Readable): Connection {
  const sessions = new Map<string, CdpSession>();
  const senders = new Map<number, CdpSession>();
  let lastId = 0;
  let inputBegins = () => () => {};
  let clientBegins = () => () => {};
  let onClientGone = () => {};
  let launching = false;
  const watchers = new Set<Watcher>(loggedTraffic());
  const { promise: gone, resolve: end } = createDeferred<void>();

  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  const seen = <Message extends Outgoing>(message: Message): Message => {
    for (const watcher of watchers) watcher.sent(message);
    return message;
  };
  const wire: Wire = {
    transmit(session, method, params) {
      senders.set(nextId(), session);
      const sessionId = session.id === null ? {} : { sessionId: session.id };
      pipe.send(seen({ id: lastId, method, params, ...sessionId }));
      return lastId;
    },
    callMs: () => (launching ? Number.POSITIVE_INFINITY : limits.cdpCallTimeoutMs),
    inputBegins: () => inputBegins(),
  };
  const root = new CdpSession(wire, null, null);
  const clients = new PipeClients({ root, nextId, write: (message) => pipe.sendAtTurnEnd(seen(message)) });

  const announced = ({ sessionId, targetInfo }: Subject) => {
    sessions.set(sessionId, new CdpSession(wire, sessionId, targetInfo?.targetId ?? null));
  };
  const detached = ({ sessionId }: Subject) => {
    sessions.get(sessionId)?.close("session-closed", "the tab or frame was closed");
    sessions.delete(sessionId);
  };
  const onMessage = (bytes: Buffer) => {
    const message = fieldsOf(bytes);
    for (const watcher of watchers) watcher.received(message, bytes.length);
    if (clients.hear(message)) return;
    const { id, method, params } = message;
    if (id !== undefined) {
      const sender = senders.get(id);
      senders.delete(id);
      sender?.settle(id, message.result, message.error === undefined ? null : refusalOf(message.error));
      return;
    }
    if (method === undefined) return;
    // Create the session before the listeners see its event, and remove it after its last event.
    const session = message.sessionId === undefined ? root : sessions.get(message.sessionId);
    if (session === undefined) return; // The session's client has just closed.
    if (method === "Target.attachedToTarget") {
      announced(subjectOf(params));
      pipe.together(() => session.emit(method, params)); // One write for all listeners' commands, since the target may be paused.
    } else session.emit(method, params);
    if (method === "Target.detachedFromTarget") detached(subjectOf(params));
  };
  const onClosed = () => {
    const reason = "the browser has ended";
    for (const session of sessions.values()) session.close("browser-gone", reason);
    root.close("browser-gone", reason);
    sessions.clear();
    senders.clear();
    clients.close();
    end();
  };
  const pipe: Pipe = openPipe(output, input, {
    // Messages come on the trail of whatever opened the pipe. Replies continue their callers' trails.
    message: (bytes) => followTrail(undefined, () => onMessage(bytes)),
    closed: onClosed,
  });
  return {
    root,
    session: (id) => sessions.get(id),
    together: (work) => pipe.together(work),
    beginLaunch() {
      launching = true;
      return () => {
        launching = false;
      };
    },
    openClient: (listener) => {
      const ends = [inputBegins(), clientBegins()];
      // Behind the command that detaches the client.
      const tell = () => queueMicrotask(() => onClientGone());
      return clients.open(listener, () => {
        for (const end of ends) end();
        tell();
      });
    },
    onClientGone: (listener) => {
      onClientGone = listener;
    },
    onInput: (begin) => {
      inputBegins = begin;
    },
    onClient: (begin) => {
      clientBegins = begin;
    },
    clientActs: () => clients.acts,
    detachClients: (targetId) => clients.detach(targetId),
    watchTraffic(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    backlog: () => pipe.backlog(),
    drained: () => pipe.drained(),
    gone,
    close: () => pipe.close(),
  };
}

function refusalOf(unread: Unread): string {
  const { message, data } = read(unread) as { message: string; data?: string };
  return data === undefined ? message : `${message} (${data})`;
}
