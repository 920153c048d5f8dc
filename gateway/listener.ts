/** Listens on the loopback interface only: 127.0.0.1 and ::1, on the same port. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
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
  patience = usualPatience,
): Promise<Listener> {
  for (let tries = 1; ; tries += 1) {
    const open = { handler: handlerFor(() => actualPort), log, patience };
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

interface Opening {
  handler: Handler;
  log: RequestLog;
  patience: Patience;
}

async function bind({ handler, log, patience }: Opening, host: string, port: number): Promise<Server> {
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
  server.once("close", slow.close);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(host === "127.0.0.1" ? portFault(error, port) : error));
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return server;
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
