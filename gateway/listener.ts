/** Listens on the loopback interface only: 127.0.0.1 and ::1, on the same port. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { Fault } from "../protocol/faults.ts";
import { limits } from "../protocol/limits.ts";
import { bounded, type Handler, type RequestLog } from "./boundary.ts";
import { refuseConnection } from "./refuse-connection.ts";
import { type Patience, watchSlowBodies } from "./slow-bodies.ts";

export interface Listener {
  port: number;
  url: string;
  /** Accepts no more connections; cuts the open ones after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const usualPatience: Patience = {
  headersMs: limits.requestHeadMs,
  bodyWindowMs: limits.requestBodyWindowMs,
  bodyBytesMin: limits.requestBodyBytesPerWindowMin,
  lookMs: 1_000,
};

/** Attempts to find a port that is free on both addresses. */
const portTriesMax = 20;

/** `port` 0 means any. `handlerFor` gets the port for the Host check. Throws `conflict` (port taken), `internal`. */
export async function listen(
  port: number,
  handlerFor: (port: () => number) => Handler,
  log: RequestLog,
  { patience = usualPatience, onUpgrade }: ListenOptions = {},
): Promise<Listener> {
  for (let tries = 1; ; tries += 1) {
    const upgrade = onUpgrade && ((...given: UpgradeArgs) => onUpgrade(...given, actualPort));
    const open = { handler: handlerFor(() => actualPort), log, patience, upgrade };
    const first = await bind(open, "127.0.0.1", port);
    const actualPort = portOf(first);
    try {
      const second = await bind(open, "::1", actualPort).catch((error: unknown) => {
        if (codeOf(error) === "EADDRNOTAVAIL" || codeOf(error) === "EAFNOSUPPORT") return null;
        throw error;
      });
      const servers = second === null ? [first] : [first, second];
      return {
        port: actualPort,
        url: `http://127.0.0.1:${actualPort}`,
        close: async (graceMs) =>
          void (await Promise.all(servers.map((server) => closeServer(server, graceMs)))),
      };
    } catch (error) {
      await closeServer(first, 0);
      if (port !== 0 || tries >= portTriesMax) throw portFault(error, actualPort);
    }
  }
}

type UpgradeArgs = [request: IncomingMessage, socket: Duplex, head: Buffer];

export interface ListenOptions {
  patience?: Patience;
  /** Answers requests for a WebSocket; without it they get the usual reply of their path. */
  onUpgrade?: (...given: [...UpgradeArgs, port: number]) => void;
}

interface Opening {
  handler: Handler;
  log: RequestLog;
  patience: Patience;
  upgrade: ((...given: UpgradeArgs) => void) | undefined;
}

async function bind(
  { handler, log, patience, upgrade }: Opening,
  host: string,
  port: number,
): Promise<Server> {
  const slow = watchSlowBodies(patience);
  const onRequest = bounded((exchange) => {
    slow.follow(exchange.request, exchange.response);
    return handler(exchange);
  }, log);
  const options = {
    keepAliveTimeout: 60_000,
    requestTimeout: 0, // The slow-body watch limits bodies instead.
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.lookMs,
    maxHeaderSize: limits.requestHeadBytesMax,
    requireHostHeader: false, // The handlers refuse a missing Host as they refuse a foreign one.
  };
  const server = createServer(options, onRequest);
  server.on("checkExpectation", onRequest);
  server.on("clientError", refuseConnection);
  if (upgrade !== undefined)
    server.on("upgrade", (request, socket, head) => {
      if (/^websocket$/i.test(request.headers.upgrade ?? "")) upgrade(request, socket, head);
      else servedAsUsual(server, request, socket, head);
    });
  server.once("close", slow.close);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(host === "127.0.0.1" ? portFault(error, port) : error));
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return server;
}

/** Clients that offer HTTP/2 (h2c) with each request get the usual reply: the request is read again without the offer. */
function servedAsUsual(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!/^(upgrade|connection|http2-settings)$/i.test(rawHeaders[at] ?? ""))
      lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new TypeError("the listener has no port");
  return address.port;
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise<void>((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function portFault(error: unknown, port: number): Fault {
  const code = codeOf(error);
  if (code === "EADDRINUSE") {
    return new Fault(
      "conflict",
      `port ${port} is used by another program; choose another with --port (0 for any)`,
      { code: "port-taken" },
    );
  }
  if (code === "EACCES") {
    const what = `this user may not listen on port ${port}`;
    return new Fault("internal", `${what}; choose one above 1023 with --port (0 for any)`, {
      code: "port-refused",
    });
  }
  return new Fault(
    "internal",
    `cannot listen on port ${port}: ${error instanceof Error ? error.message : code}`,
  );
}
