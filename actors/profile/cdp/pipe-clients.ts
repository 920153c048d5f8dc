/** Other clients of the browser on our pipe, each with its own browser session and those below it. They receive JSON text. */
import { type Incoming, NotAMessage, read, readable, type Unread } from "./cbor.ts";
import type { CdpSession } from "./session.ts";
import type { Outgoing } from "./traffic.ts";

export interface ClientMessage {
  id: number;
  method: string;
  sessionId?: unknown;
  [key: string]: unknown;
}

export interface ClientListener {
  message(text: string): void;
  /** The browser has ended, or has ended the client's session. */
  gone(): void;
}

export interface PipeClient {
  send(message: ClientMessage): void;
  /** Detaches from the browser and all targets; no message follows. */
  close(): void;
}

interface Client {
  rootId: string;
  listener: ClientListener;
  onEnd: () => void;
}

export interface ClientWire {
  root: CdpSession;
  nextId(): number;
  write(message: Outgoing): void;
}

/** Commands after which another tab may show. */
const showsTab: ReadonlySet<string> = new Set([
  "Page.bringToFront",
  "Page.close",
  "Target.activateTarget",
  "Target.closeTarget",
  "Target.createTarget",
]);

/**
 * Answered at once: with its network service in the browser's process, Chromium removes the files after its start-up, which takes 3 s, or
 * 3 minutes when no page has loaded. The entries are gone at once.
 */
const clearsLate = "Network.clearBrowserCache";

export class PipeClients {
  /** Commands that may have brought another tab to the front. */
  acts = 0;
  readonly #wire: ClientWire;
  readonly #bySession = new Map<string, Client>();
  readonly #announced = new Map<string, { targetId: string; parent: string }>();
  readonly #asked = new Map<number, { client: Client; id: number }>();

  constructor(wire: ClientWire) {
    this.#wire = wire;
  }

  /** Attaches a client. `onEnd` is called once, when it is detached. Rejects when the browser has ended. */
  async open(listener: ClientListener, onEnd: () => void = () => {}): Promise<PipeClient> {
    const { root } = this.#wire;
    const { sessionId } = await root.send("Target.attachToBrowserTarget", {});
    const client: Client = { rootId: sessionId, listener, onEnd };
    this.#bySession.set(sessionId, client);
    return {
      send: (message) => this.#send(client, message),
      close: () => {
        if (!this.#forget(client)) return;
        root.send("Target.detachFromTarget", { sessionId }).catch(() => {}); // It is detached if the browser has ended.
      },
    };
  }

  /** Passes a message on if it belongs to a client; false otherwise. */
  hear(message: Incoming): boolean {
    if (this.#bySession.size === 0) return false;
    const { id, method, params, sessionId = "" } = message;
    if (id !== undefined) return this.#answer(id, message);
    if (method === undefined) return false;
    const client = this.#bySession.get(sessionId);
    const ended = method === "Target.detachedFromTarget" ? subjectOf(params).sessionId : null;
    if (client === undefined) {
      if (ended !== null) this.#endedByBrowser(ended);
      return false;
    }
    if (method === "Target.attachedToTarget") this.#attached(client, subjectOf(params), sessionId);
    const text = params === undefined ? "" : textOf(params);
    if (text !== null) {
      const said = text === "" ? "" : `,"params":${text}`;
      client.listener.message(`{"method":${JSON.stringify(method)}${said}${sessionIn(message, client)}}`);
    }
    if (ended !== null) this.#release(ended);
    return true;
  }

  /** Ends all clients' sessions of this target; to them, the target has closed. */
  detach(targetId: string): void {
    for (const [sessionId, { targetId: of, parent }] of this.#announced) {
      if (of !== targetId) continue;
      const command = { method: "Target.detachFromTarget", params: { sessionId }, sessionId: parent };
      this.#wire.write({ id: this.#wire.nextId(), ...command });
    }
  }

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
      // The reply of the browser, which would accept the sessions of other clients.
      refuse(client, { id, sessionId }, -32001, "Session with given id not found.");
      return;
    }
    if (showsTab.has(rest.method)) this.acts += 1;
    const number = this.#wire.nextId();
    if (rest.method !== clearsLate) this.#asked.set(number, { client, id });
    try {
      this.#wire.write({ id: number, ...rest, sessionId: to });
      if (rest.method === clearsLate)
        client.listener.message(`{"id":${id},"result":{}${sessionIn({ sessionId: to }, client)}}`);
    } catch (error) {
      if (!(error instanceof NotAMessage)) throw error;
      this.#asked.delete(number);
      refuse(client, { id, sessionId }, -32600, error.message);
    }
  }

  #attached(client: Client, { sessionId, targetInfo }: Subject, parent: string): void {
    this.#bySession.set(sessionId, client);
    this.#announced.set(sessionId, { targetId: targetInfo?.targetId ?? "", parent });
  }

  #release(sessionId: string): void {
    this.#bySession.delete(sessionId);
    this.#announced.delete(sessionId);
  }

  #answer(number: number, message: Incoming): boolean {
    const asked = this.#asked.get(number);
    if (asked === undefined) return false;
    this.#asked.delete(number);
    const { client, id } = asked;
    const { error, result } = message;
    const [kind, text] = error === undefined ? ["result", textOf(result)] : ["error", textOf(error)];
    const said = text === null ? `"error":${unreadable}` : `"${kind}":${text}`;
    client.listener.message(`{"id":${id},${said}${sessionIn(message, client)}}`);
    return true;
  }

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

export interface Subject {
  sessionId: string;
  targetInfo?: { targetId: string };
}

/** The attached or detached session of an event. */
export function subjectOf(params: Unread | undefined): Subject {
  if (params === undefined) throw new NotAMessage("an attach or detach event has no parameters");
  return read(params) as Subject; // The shape is the protocol's.
}

function textOf(unread: Unread | undefined): string | null {
  const found = unread === undefined ? { value: {} } : readable(unread);
  return found === null ? null : JSON.stringify(found.value);
}

const unreadable = JSON.stringify({ code: -32000, message: "The answer is nested too deep to be read." });

function refuse(
  { listener }: Client,
  { id, sessionId }: Pick<ClientMessage, "id" | "sessionId">,
  code: number,
  message: string,
): void {
  const session = typeof sessionId === "string" ? { sessionId } : {};
  listener.message(JSON.stringify({ id, error: { code, message }, ...session }));
}

/** The end of a client's message: clients know their own browser session without an id. */
function sessionIn({ sessionId }: Incoming, { rootId }: Client): string {
  return sessionId === undefined || sessionId === rootId ? "" : `,"sessionId":"${sessionId}"`;
}
