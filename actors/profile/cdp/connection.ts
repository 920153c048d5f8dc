/** The control channel: numbers commands, hands answers and events to their sessions, and dies with the pipe. */
import type { Readable, Writable } from "node:stream";
import { limits } from "../../../protocol/limits.ts";
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

export interface Connection {
  /** The browser's own session. */
  root: CdpSession;
  /** The session of this id, known from the `Target.attachedToTarget` that announced it. */
  session(id: string): CdpSession | undefined;
  /** The commands that `work` sends, of whatever session, go out in one piece: for those who wait for a target that is held. */
  together<T>(work: () => T): T;
  /** Attaches somebody else's client of the browser. Rejects when the browser is gone. */
  openClient(listener: ClientListener): Promise<PipeClient>;
  /** Until its answer is called commands have no deadline of their own: who launches says when all has taken too long. */
  beginLaunch(): () => void;
  /** From now on `begin` is called before input goes to a page and when a client is attached, and its answer when that has ended. */
  watchHands(begin: () => () => void): void;
  /** Ends the sessions that those clients have of this target; they hear of it as of a target that is gone. */
  detachClients(targetId: string): void;
  /** Bytes that the browser has not read yet. */
  backlog(): number;
  /** Resolves when it has read them. */
  drained(): Promise<void>;
  /** Resolves when the channel is gone, whoever closed it. */
  gone: Promise<void>;
  close(): void;
}

/** Speaks flat-session DevTools protocol over the browser's descriptors. A closed pipe rejects all that is pending. */
export function connect(output: Writable, input: Readable): Connection {
  const sessions = new Map<string, CdpSession>();
  const senders = new Map<number, CdpSession>();
  let lastId = 0;
  let tell = (): void => {};
  let handsOn = () => () => {};
  let launching = false;
  const gone = new Promise<void>((resolve) => {
    tell = resolve;
  });

  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  const wire: Wire = {
    transmit(session, method, params) {
      senders.set(nextId(), session);
      const sessionId = session.id === null ? {} : { sessionId: session.id };
      pipe.send({ id: lastId, method, params, ...sessionId });
      return lastId;
    },
    callMs: () => (launching ? Number.POSITIVE_INFINITY : limits.cdpCallTimeoutMs),
    inputBegins: () => handsOn(),
  };
  const root = new CdpSession(wire, null, null);
  const clients = new PipeClients({ root, nextId, write: (message) => pipe.sendAtTurnEnd(message) });

  const announced = ({ sessionId, targetInfo }: Subject) => {
    sessions.set(sessionId, new CdpSession(wire, sessionId, targetInfo?.targetId ?? null));
  };
  const detached = ({ sessionId }: Subject) => {
    sessions.get(sessionId)?.close("session-closed", "the tab or frame was closed");
    sessions.delete(sessionId);
  };
  const onMessage = (bytes: Buffer) => {
    const message = fieldsOf(bytes);
    if (clients.hear(message)) return;
    const { id, method, params } = message;
    if (id !== undefined) {
      const sender = senders.get(id);
      senders.delete(id);
      sender?.settle(id, message.result, message.error === undefined ? null : refusalOf(message.error));
      return;
    }
    if (method === undefined) return;
    // The session exists before those who wait for it hear of it, and is heard of for the last time before it ends.
    const session = message.sessionId === undefined ? root : sessions.get(message.sessionId);
    if (session === undefined) return; // Of a client that has just been closed.
    if (method === "Target.attachedToTarget") {
      announced(subjectOf(params));
      pipe.together(() => session.emit(method, params)); // What all listeners ask of it goes out in one piece: it may be held.
    } else session.emit(method, params);
    if (method === "Target.detachedFromTarget") detached(subjectOf(params));
  };
  const onClosed = () => {
    const reason = "the browser is gone";
    for (const session of sessions.values()) session.close("browser-gone", reason);
    root.close("browser-gone", reason);
    sessions.clear();
    senders.clear();
    clients.close();
    tell();
  };
  const pipe: Pipe = openPipe(output, input, { message: onMessage, closed: onClosed });
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
    openClient: (listener) => clients.open(listener, handsOn()),
    watchHands: (begin) => {
      handsOn = begin;
    },
    detachClients: (targetId) => clients.detach(targetId),
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
