/** `cdpUrl`, the debugging address for clients: like Chromium's own port, over our pipe. Open to local programs, not to pages. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { limits } from "../../../protocol/limits.ts";
import { type ClientParts, type ClientSocket, joinClient } from "./client.ts";
import { answerHttp } from "./endpoints.ts";
import { isStranger } from "./stranger.ts";

export interface Front {
  url: string;
  close(): void;
}

/** Listens on a free port of 127.0.0.1. Rejects when there is none. */
export async function openFront(parts: ClientParts): Promise<Front> {
  const browserPath = `/devtools/browser/${randomUUID()}`;
  const { root } = parts.connection;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.clientMessageBytesMax,
  });
  const server = createServer((request, response) => {
    const { method = "GET", url: target = "/", headers } = request;
    request.resume();
    if (isStranger(request, port)) return respond(response, 403, "");
    answerHttp(root, { method, target, host: headers.host ?? "", browserPath }).then(
      ({ status, body }) => respond(response, status, body),
      (error: unknown) => respond(response, 500, error instanceof Error ? error.message : String(error)),
    );
  });
  server.headersTimeout = limits.requestHeadMs;
  server.maxConnections = limits.clientConnectionsMax;
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const [, kind = "", id = ""] =
      /^\/devtools\/(browser|page)(?:\/([^/?]+))?\/?$/.exec(request.url ?? "") ?? [];
    if (isStranger(request, port)) return refuseUpgrade(socket, "403 Forbidden");
    if (kind === "" || (kind === "browser" && id !== "" && !browserPath.endsWith(`/${id}`)))
      return refuseUpgrade(socket, "404 Not Found");
    upgrade(sockets, { request, socket, head }, kind === "page" ? id : null, parts).catch(() =>
      refuseUpgrade(socket, "500 Internal Server Error"),
    );
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
    },
  };
}

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

/** Attaches first, so that a client with an unknown target is refused before the upgrade. */
async function upgrade(
  sockets: WebSocketServer,
  { request, socket, head }: Upgrade,
  targetId: string | null,
  parts: ClientParts,
): Promise<void> {
  let web: WebSocket | null = null;
  let over = false;
  const early: string[] = [];
  const side: ClientSocket = {
    send: (text) => (web === null ? early.push(text) : web.send(text)),
    unread: () => web?.bufferedAmount ?? 0,
    pause: () => web?.pause(),
    resume: () => web?.resume(),
    close() {
      over = true;
      if (web === null) socket.destroy();
      else if (web.bufferedAmount > limits.clientUnreadBytesMax) web.terminate();
      else web.close();
    },
  };
  const joined = await joinClient(side, targetId, parts);
  socket.once("close", joined.end);
  if (over || socket.destroyed) return joined.end();
  sockets.handleUpgrade(request, socket, head, (opened) => {
    web = opened;
    opened.on("error", () => opened.terminate());
    opened.on("message", (data, isBinary) => {
      if (!isBinary && !over) joined.say(String(data));
    });
    for (const text of early) opened.send(text);
  });
}

function refuseUpgrade(socket: Duplex, status: string): void {
  if (socket.destroyed) return;
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  const isText = typeof body === "string";
  const text = isText ? body : JSON.stringify(body, null, 3);
  response
    .writeHead(status, {
      "content-type": isText ? "text/plain; charset=UTF-8" : "application/json; charset=UTF-8",
      "content-length": Buffer.byteLength(text),
      "x-content-type-options": "nosniff",
    })
    .end(text);
}
