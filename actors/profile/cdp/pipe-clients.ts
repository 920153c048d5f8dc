/**
 * Clients of the browser beside us on our own pipe: each has a session of the browser's own, and whatever is attached below it, and
 * sees nothing else. What they hear is passed on as the text that it is.
 *
 * A WebSocket for each would carry the same messages a second time round: over HTTP, a handshake, frames, and the gate that stands
 * before the browser's own port.
 */
import type { CdpSession } from "./session.ts";

/** A command of a client, as it was parsed. */
export interface ClientMessage {
  id: number;
  method: string;
  sessionId?: unknown;
  [key: string]: unknown;
}

export interface ClientListener {
  /** An answer or an event, as text. */
  message(text: string): void;
  /** The browser is gone, or has ended the client's session. */
  gone(): void;
}

export interface PipeClient {
  send(message: ClientMessage): void;
  /** Detaches from the browser and from all below; nothing more is heard. */
  close(): void;
}

interface Client {
  /** Its session of the browser's own. */
  rootId: string;
  listener: ClientListener;
  onEnd: () => void;
}

/** What clients need of their connection. */
export interface ClientWire {
  root: CdpSession;
  /** A number that no command on this pipe has had. */
  nextId(): number;
  write(text: string): void;
}

const attached = '{"method":"Target.attachedToTarget"';
const detached = '{"method":"Target.detachedFromTarget"';
/** Chromium writes a message's own session last of all, whatever the message (crdtp appends it to the finished text). */
const ownSession = /,"sessionId":"([^"\\]{1,64})"\}$/;
const ownSessionCharsMax = 90;
const answerHead = /^\{"id":(\d+)/;

export class PipeClients {
  readonly #wire: ClientWire;
  readonly #bySession = new Map<string, Client>();
  /** What those sessions are of, and the session that brought each, where it was announced. */
  readonly #announced = new Map<string, { targetId: string; parent: string }>();
  /** Commands without an answer, by their number on the pipe. */
  readonly #asked = new Map<number, { client: Client; id: number }>();

  constructor(wire: ClientWire) {
    this.#wire = wire;
  }

  /** Attaches a client. `onEnd` is called once, when it is no longer attached. Rejects when the browser is gone. */
  async open(listener: ClientListener, onEnd: () => void = () => {}): Promise<PipeClient> {
    const { root } = this.#wire;
    const { sessionId } = await root.send("Target.attachToBrowserTarget", {});
    const client: Client = { rootId: sessionId, listener, onEnd };
    this.#bySession.set(sessionId, client);
    return {
      send: (message) => this.#send(client, message),
      close: () => {
        if (!this.#forget(client)) return;
        root.send("Target.detachFromTarget", { sessionId }).catch(() => {}); // With the browser gone it is detached.
      },
    };
  }

  /** Passes the message on, when it is for a client. */
  hear(text: string): boolean {
    if (this.#bySession.size === 0) return false;
    const number = answerHead.exec(text);
    if (number !== null) return this.#answer(Number(number[1]), text.slice(number[0].length));
    const sessionId = ownSession.exec(text.slice(-ownSessionCharsMax))?.[1] ?? "";
    const client = this.#bySession.get(sessionId);
    if (client === undefined) {
      if (text.startsWith(detached)) this.#endedByBrowser(subjectOf(text));
      return false;
    }
    if (text.startsWith(attached)) this.#attached(client, text, sessionId);
    client.listener.message(withoutRoot(text, client));
    if (text.startsWith(detached)) this.#release(subjectOf(text));
    return true;
  }

  /** Ends all sessions of this target; their clients hear of it as of a target that is gone. */
  detach(targetId: string): void {
    for (const [sessionId, { targetId: of, parent }] of this.#announced) {
      if (of !== targetId) continue;
      const command = { method: "Target.detachFromTarget", params: { sessionId }, sessionId: parent };
      this.#wire.write(JSON.stringify({ id: this.#wire.nextId(), ...command }));
    }
  }

  /** The browser is gone. */
  close(): void {
    for (const client of new Set(this.#bySession.values())) {
      this.#forget(client);
      client.listener.gone();
    }
  }

  #send(client: Client, { id, sessionId, ...rest }: ClientMessage): void {
    if (!this.#bySession.has(client.rootId)) return;
    const to = sessionId ?? client.rootId;
    if (typeof to !== "string" || this.#bySession.get(to) !== client) {
      // As the browser answers it; it would know the sessions of others.
      const error = { code: -32001, message: "Session with given id not found." };
      client.listener.message(JSON.stringify({ id, error, sessionId }));
      return;
    }
    const number = this.#wire.nextId();
    this.#asked.set(number, { client, id });
    this.#wire.write(JSON.stringify({ id: number, ...rest, sessionId: to }));
  }

  #attached(client: Client, text: string, parent: string): void {
    const { sessionId = "", targetInfo } = paramsOf(text);
    this.#bySession.set(sessionId, client);
    this.#announced.set(sessionId, { targetId: targetInfo?.targetId ?? "", parent });
  }

  #release(sessionId: string): void {
    this.#bySession.delete(sessionId);
    this.#announced.delete(sessionId);
  }

  #answer(number: number, rest: string): boolean {
    const asked = this.#asked.get(number);
    if (asked === undefined) return false;
    this.#asked.delete(number);
    asked.client.listener.message(`{"id":${asked.id}${withoutRoot(rest, asked.client)}`);
    return true;
  }

  /** Our own session is told when a client's ends, and has to forget it as well. */
  #endedByBrowser(sessionId: string): void {
    const client = this.#bySession.get(sessionId);
    if (client === undefined) return;
    this.#forget(client);
    client.listener.gone();
  }

  #forget(client: Client): boolean {
    if (!this.#bySession.has(client.rootId)) return false;
    for (const [sessionId, owner] of this.#bySession) if (owner === client) this.#release(sessionId);
    for (const [number, asked] of this.#asked) if (asked.client === client) this.#asked.delete(number);
    client.onEnd();
    return true;
  }
}

/** The session that an announcement is about. */
function subjectOf(text: string): string {
  return paramsOf(text).sessionId ?? "";
}

function paramsOf(text: string): { sessionId?: string; targetInfo?: { targetId: string } } {
  const { params }: { params?: ReturnType<typeof paramsOf> } = JSON.parse(text);
  return params ?? {};
}

/** The client's own session of the browser is the one that has no name for it. */
function withoutRoot(text: string, { rootId }: Client): string {
  const end = `,"sessionId":"${rootId}"}`;
  return text.endsWith(end) ? `${text.slice(0, -end.length)}}` : text;
}
