/** Connects one client's WebSocket with a client of the pipe. Some messages wait, or are handled here. */
import path from "node:path";
import { limits } from "../../../protocol/limits.ts";
import type { Connection } from "../cdp/connection.ts";
import type { ClientMessage, PipeClient } from "../cdp/pipe-clients.ts";
import type { ClientWorkers } from "../identity/client-workers.ts";

export interface ClientParts {
  connection: Connection;
  settled(): Promise<void>;
  keepStorage(): Promise<void>;
  clientWorkers: ClientWorkers | undefined;
  downloadsDir: string;
}

export interface ClientSocket {
  send(text: string): void;
  unread(): number;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface JoinedClient {
  say(text: string): void;
  end(): void;
}

/** Attaches a client to the browser or to one target. Rejects when the target is missing or the browser has ended. */
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
    // Clients share the browser's channel, so a client's unread messages cannot wait in the browser.
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
      if (!follow?.receive(text)) tell(text);
    } else if (text.endsWith(ending)) {
      const said = `${text.slice(0, -ending.length)}}`;
      if (!follow?.receive(said)) tell(said);
    } else if (/,"sessionId":"[^"]*"}$/.test(text)) tell(text);
    else if (text.startsWith(detached) && text.includes(own)) socket.close();
  };
  return {
    say(text) {
      const message = commandOf(text);
      if (typeof message === "string") return tell(message);
      if (message.method === "Extensions.loadUnpacked") return tell(refusalOf(message));
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

/** Sends messages to the browser in order. Pauses a client that writes faster than the browser reads. */
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
      .catch(() => {}) // Send the message even if the wait failed.
      .then(() => {
        queued -= 1;
        forward(message);
        if (queued === 0 && !paused) socket.resume();
      });
  };
}

function waitBefore({ method }: ClientMessage, parts: ClientParts): (() => Promise<void>) | null {
  // Resuming a target resumes it for us too, so its values must be set.
  if (method === "Runtime.runIfWaitingForDebugger") return parts.settled;
  if (method === "Browser.close") return parts.keepStorage;
  return null;
}

/** Chromium resolves a relative directory against the service's working directory. */
function withDownloads(message: ClientMessage, downloadsDir: string): ClientMessage {
  if (!message.method.endsWith(".setDownloadBehavior")) return message;
  const params = Object(message.params);
  const { downloadPath } = params;
  if (typeof downloadPath !== "string" || path.isAbsolute(downloadPath)) return message;
  return { ...message, params: { ...params, downloadPath: path.resolve(downloadsDir, downloadPath) } };
}

/** A browser that was launched with extensions would load any directory. */
function refusalOf({ id, sessionId }: ClientMessage): string {
  const error = { code: -32000, message: "the user adds extensions, and a launch names them" };
  return JSON.stringify({ id, error, ...(typeof sessionId === "string" ? { sessionId } : {}) });
}

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
