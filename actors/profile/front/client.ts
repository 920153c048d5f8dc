/** One client's WebSocket, joined with a client of our pipe: what passes is looked at where it has to wait, or is meant for us. */
import path from "node:path";
import { limits } from "../../../protocol/limits.ts";
import type { Connection } from "../cdp/connection.ts";
import type { ClientMessage, PipeClient } from "../cdp/pipe-clients.ts";
import type { ClientWorkers } from "../identity/client-workers.ts";

/** What every client's messages may have to wait for. */
export interface ClientParts {
  connection: Connection;
  /** Resolves when no target lacks its values. */
  settled(): Promise<void>;
  /** Resolves when the browser may be closed. */
  keepStorage(): Promise<void>;
  /** Of a browser that shows a device. */
  clientWorkers: ClientWorkers | undefined;
  /** Where downloads go whose directory a client names without saying where that is. */
  downloadsDir: string;
}

/** The client's side. */
export interface ClientSocket {
  send(text: string): void;
  /** Bytes that the client has not read yet. */
  unread(): number;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface JoinedClient {
  /** A message of the client. */
  say(text: string): void;
  /** The client is gone. */
  end(): void;
}

/** Attaches a client to the browser, or to one target of it. Rejects when there is no such target, or the browser is gone. */
export async function joinClient(
  socket: ClientSocket,
  targetId: string | null,
  parts: ClientParts,
): Promise<JoinedClient> {
  let hear = (_text: string) => {};
  const client = await parts.connection.openClient({
    message: (text) => hear(text),
    gone: () => socket.close(),
  });
  const tell = (text: string) => {
    socket.send(text);
    // The browser's channel is everybody's: what one client does not read cannot wait in the browser.
    if (socket.unread() > limits.clientUnreadBytesMax) socket.close();
  };
  const own = targetId === null ? null : await attachedTo(client, targetId, (next) => (hear = next));
  const outlet = outletTo(client, socket, own, parts);
  const follow = parts.clientWorkers?.follow({
    targetId,
    put: (message) =>
      client.send(own === null ? message : { ...message, sessionId: message.sessionId ?? own }),
    close: () => socket.close(),
    settled: parts.settled,
  });
  const ending = own === null ? "" : `,"sessionId":${JSON.stringify(own)}}`;
  hear = (text) => {
    if (own === null) {
      if (!follow?.heard(text)) tell(text);
    } else if (text.endsWith(ending)) {
      const said = `${text.slice(0, -ending.length)}}`;
      if (!follow?.heard(said)) tell(said);
    } else if (/,"sessionId":"[^"]*"}$/.test(text)) tell(text);
    else if (text.startsWith(detached) && text.includes(own)) socket.close();
  };
  return {
    say(text) {
      const message = commandOf(text);
      if (typeof message === "string") return tell(message);
      if (message.method.startsWith("ServiceWorker.stop")) parts.clientWorkers?.toStop(message);
      outlet(withDownloads(message, parts.downloadsDir));
    },
    end() {
      follow?.end();
      client.close();
    },
  };
}

const detached = '{"method":"Target.detachedFromTarget"';

/** The client's session of the target, below its session of the browser. */
async function attachedTo(
  client: PipeClient,
  targetId: string,
  listen: (hear: (text: string) => void) => void,
): Promise<string> {
  const answer = await new Promise<{ result?: { sessionId: string }; error?: { message: string } }>(
    (resolve) => {
      listen((text) => {
        if (text.startsWith('{"id":')) resolve(JSON.parse(text));
      });
      client.send({ id: 1, method: "Target.attachToTarget", params: { targetId, flatten: true } });
    },
  );
  if (answer.result !== undefined) return answer.result.sessionId;
  client.close();
  throw new Error(answer.error?.message ?? "No such target id");
}

/** What goes to the browser: in order, whatever had to wait before it; a client that writes faster than the browser reads is paused. */
function outletTo(client: PipeClient, socket: ClientSocket, own: string | null, parts: ClientParts) {
  const { connection } = parts;
  let turn = Promise.resolve();
  let queued = 0;
  let paused = false;
  const forward = (message: ClientMessage) => {
    client.send(own === null ? message : { ...message, sessionId: message.sessionId ?? own });
    if (paused || connection.backlog() < limits.clientBacklogBytesMax) return;
    paused = true;
    socket.pause();
    const goOn = () => {
      paused = false;
      socket.resume();
    };
    connection.drained().then(goOn, goOn);
  };
  return (message: ClientMessage) => {
    const wait = waitBefore(message, parts);
    if (queued === 0 && wait === null) return forward(message);
    queued += 1;
    socket.pause();
    turn = turn
      .then(wait)
      .catch(() => {}) // Whatever is waited for, its client's message goes on.
      .then(() => {
        queued -= 1;
        forward(message);
        if (queued === 0 && !paused) socket.resume();
      });
  };
}

/** What a client's message waits for; null: it goes on at once. */
function waitBefore({ method }: ClientMessage, parts: ClientParts): (() => Promise<void>) | null {
  // A client that holds new targets lets them go for all, also for us.
  if (method === "Runtime.runIfWaitingForDebugger") return parts.settled;
  if (method === "Browser.close") return parts.keepStorage;
  return null;
}

/** A directory that is not absolute would be one below the service's own working directory. */
function withDownloads(message: ClientMessage, downloadsDir: string): ClientMessage {
  if (!message.method.endsWith(".setDownloadBehavior")) return message;
  const params = Object(message.params);
  const { downloadPath } = params;
  if (typeof downloadPath !== "string" || path.isAbsolute(downloadPath)) return message;
  return { ...message, params: { ...params, downloadPath: path.resolve(downloadsDir, downloadPath) } };
}

/** The client's command, or the answer to what is none, as Chromium gives it. */
function commandOf(text: string): ClientMessage | string {
  const refused = (code: number, message: string) => JSON.stringify({ error: { code, message } });
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return refused(-32700, "JSON: the message cannot be parsed");
  }
  if (typeof message !== "object" || message === null) return refused(-32600, "Message must be an object");
  if (!("id" in message) || !Number.isInteger(message.id) || typeof message.id !== "number")
    return refused(-32600, "Message must have integer 'id' property");
  if (!("method" in message) || typeof message.method !== "string")
    return refused(-32600, "Message must have string 'method' property");
  return { ...message, id: message.id, method: message.method };
}
