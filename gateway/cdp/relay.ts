/** Joins a client's WebSocket to a browser's debugging address. `Browser.close` ends the client's connection and not the browser. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { limits } from "../../protocol/limits.ts";

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

export interface Relay {
  /** `refused`: the browser's address refuses the client, or does not answer any more. */
  join(upgrade: Upgrade, url: string, profileId: string, refused: (status: number | null) => void): void;
  close(): void;
}

const touchMs = 1_000;
const options = { perMessageDeflate: false, maxPayload: limits.clientMessageBytesMax };

/** `used` is called at most once a second while a client sends. */
export function createRelay(used: (profileId: string) => void): Relay {
  const server = new WebSocketServer({ ...options, noServer: true });
  return {
    join({ request, socket, head }, url, profileId, refused) {
      if (socket.destroyed) return;
      const browser = new WebSocket(url, options);
      const refusedOnce = (status: number | null) => {
        browser.removeAllListeners("error");
        browser.on("error", () => {}); // `terminate` reports one.
        browser.terminate();
        refused(status);
      };
      browser.once("error", () => refusedOnce(null));
      browser.once("unexpected-response", (_request, reply) => refusedOnce(reply.statusCode ?? null));
      browser.once("open", () => {
        server.handleUpgrade(request, socket, head, (client) => join(client, browser, () => used(profileId)));
      });
      socket.once("close", () => browser.terminate());
    },
    close() {
      for (const client of server.clients) client.terminate();
    },
  };
}

function join(client: WebSocket, browser: WebSocket, used: () => void): void {
  let usedAt = 0;
  const noted = () => {
    const now = performance.now();
    if (now - usedAt < touchMs) return;
    usedAt = now;
    used();
  };
  client.on("error", () => client.terminate());
  browser.on("error", () => browser.terminate());
  client.on("message", (data, isBinary) => {
    if (isBinary) return;
    noted();
    const closing = bytesOf(data).includes("Browser.close") ? closeId(String(data)) : null;
    if (closing !== null) {
      client.send(JSON.stringify({ id: closing, result: {} }));
      client.close();
      return;
    }
    pass(client, browser, data);
  });
  browser.on("message", (data) => pass(browser, client, data));
  client.once("close", () => browser.terminate());
  browser.once("close", () => client.close());
}

/** A slow reader pauses the other side, which bounds the memory for messages. */
function pass(from: WebSocket, to: WebSocket, data: RawData): void {
  to.send(bytesOf(data), { binary: false }, () => {
    if (from.isPaused && to.bufferedAmount < limits.clientUnreadBytesMax / 8) from.resume();
  });
  if (to.bufferedAmount > limits.clientUnreadBytesMax / 4) from.pause();
}

/** Without another setting, `ws` gives messages as a buffer each. */
const bytesOf = (data: RawData) => data as Buffer;

/** The id of a call of `Browser.close`; null for anything else. */
function closeId(text: string): number | null {
  try {
    const { id, method } = JSON.parse(text);
    return method === "Browser.close" && typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}
