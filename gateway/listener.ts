/** A listener on the loopback interface: 127.0.0.1 and ::1 on the same port, and nothing else. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Fault } from "../protocol/faults.ts";

export interface Listener {
  port: number;
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Takes no more connections; those in use are given until `graceMs`, then cut. */
  close(graceMs: number): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Ports tried when the system is to choose one that is free on both addresses. */
const portTriesMax = 20;

/**
 * Listens on `port`, 0 for any. `::1` is left out on a machine without IPv6. Throws `conflict` when the port is taken.
 * `handlerFor` is given the port, because the Host check needs it.
 */
export async function listen(port: number, handlerFor: (port: () => number) => Handler): Promise<Listener> {
  for (let tries = 1; ; tries += 1) {
    const handler = handlerFor(() => actualPort);
    const first = await bind(handler, "127.0.0.1", port);
    const actualPort = portOf(first);
    try {
      const second = await bind(handler, "::1", actualPort).catch((error: unknown) => {
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
      // Free on 127.0.0.1 and taken on ::1: another number may be free on both.
      if (port !== 0 || tries >= portTriesMax) throw portFault(error, actualPort);
    }
  }
}

async function bind(handler: Handler, host: string, port: number): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, handler);
  server.on("clientError", (_error, socket) => {
    if (socket.writable)
      socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  });
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
      `port ${port} is taken by another program; choose another with --port (0 for any)`,
    );
  }
  return new Fault(
    "internal",
    `cannot listen on port ${port}: ${error instanceof Error ? error.message : code}`,
  );
}
