/** A way for TCP connections that can swallow everything, as a network that drops packets: nothing arrives, and nothing is reset. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface Link {
  port: number;
  /** Until `heal`; what was sent meanwhile then arrives. */
  cut(): void;
  /** As `cut`, for the connections that are open now; later ones pass. */
  hang(): void;
  heal(): void;
  close(): Promise<void>;
}

export async function startLink(port: number): Promise<Link> {
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const hung = new Set<Socket>();
  let isCut = false;
  const isHeld = (socket: Socket) => isCut || hung.has(socket);
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    if (isCut) socket.pause();
    return socket;
  };
  const join = (from: Socket) => {
    if (from.destroyed) return;
    const to = keep(connect(port, "127.0.0.1"));
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      one.on("data", (chunk) => {
        if (!other.write(chunk) && !isHeld(one)) {
          one.pause();
          other.once("drain", () => isHeld(one) || one.resume());
        }
      });
      // The end of a connection is a packet too.
      one.once("close", () => (isHeld(one) ? waiting.push(() => other.destroy()) : other.destroy()));
    }
    if (isCut) to.pause();
  };
  const server = createServer({ pauseOnConnect: true }, (from) => {
    keep(from);
    const begin = () => {
      join(from);
      from.resume();
    };
    if (isCut) waiting.push(begin);
    else begin();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    hang() {
      for (const socket of sockets) hung.add(socket.pause());
    },
    heal() {
      isCut = false;
      hung.clear();
      for (const act of waiting.splice(0)) act();
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
