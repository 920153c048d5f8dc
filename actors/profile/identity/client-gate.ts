/**
 * The debugging address that clients get: the browser's own behind it, byte for byte, with two differences. A client that holds new
 * targets lets them go for all, also for us (seen with service workers and windows that their opener writes to): its word to go
 * on waits here until each target has its values. And its word to close the browser waits until what pages have written is on disk.
 */
import { connect, createServer, type Socket } from "node:net";
import { frameStream } from "./frame-stream.ts";
import type { NewTabs } from "./new-tabs.ts";

export interface ClientGate {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** Ends every client's connection. */
  close(): void;
}

const goOn = '"Runtime.runIfWaitingForDebugger"';
const closeAll = '"Browser.close"';
const headBytesMax = 64 * 1024;

export interface GateParts {
  /** Resolves when no target lacks its values. */
  settled(): Promise<void>;
  /** Resolves when the browser may be closed. */
  keepStorage(): Promise<void>;
  newTabs: NewTabs;
}

/** Neither of the two waits may take for ever. */
export async function openClientGate(browserUrl: Promise<string>, parts: GateParts): Promise<ClientGate> {
  const { newTabs } = parts;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const follow = (socket: Socket) => {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once("close", () => sockets.delete(socket));
    };
    follow(client);
    client.pause();
    client.on("error", () => client.destroy());
    const hands = newTabs.handsOn();
    client.once("close", hands.off);
    Promise.all([browserUrl, hands.ready]).then(
      ([url]) => follow(join(client, Number(new URL(url).port), parts)),
      () => client.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gate for clients has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Joins a client with the browser; answers the browser's end. */
function join(client: Socket, port: number, parts: GateParts): Socket {
  const browser = connect(port, "127.0.0.1");
  browser.on("error", () => browser.destroy());
  browser.once("close", () => client.end());
  client.once("close", () => browser.destroy());
  browser.pipe(client);
  let turn = Promise.resolve();
  let queued = 0;
  /** In order, whatever was held before it; a client that writes faster than the browser reads is told to wait. */
  const pass = (bytes: Buffer, wait: (() => Promise<void>) | null) => {
    if (queued === 0 && wait === null) {
      if (!browser.write(bytes)) pauseUntilDrained(client, browser);
      return;
    }
    queued += 1;
    client.pause();
    turn = turn.then(wait).then(() => {
      queued -= 1;
      if (!browser.destroyed) browser.write(bytes);
      if (queued === 0) client.resume();
    });
  };
  const onFrame = frameStream((bytes, text) => pass(bytes, text === null ? null : waitBefore(text, parts)));
  let head: Buffer | null = Buffer.alloc(0);
  client.on("data", (chunk: Buffer) => {
    if (head === null) return onFrame(chunk);
    head = Buffer.concat([head, chunk]);
    for (let end = head.indexOf("\r\n\r\n"); end !== -1; end = head.indexOf("\r\n\r\n")) {
      const request = head.subarray(0, end + 4);
      const rest: Buffer = head.subarray(end + 4);
      head = rest;
      if (!/^upgrade: *websocket\r$/im.test(request.toString("latin1"))) {
        pass(request, null);
        continue;
      }
      // Frames that are packed could not be read on their way.
      const plain = request.toString("latin1").replace(/^sec-websocket-extensions:.*\r\n/gim, "");
      pass(Buffer.from(plain, "latin1"), null);
      head = null;
      return onFrame(rest);
    }
    if (head.length > headBytesMax) client.destroy();
  });
  client.resume();
  return browser;
}

/** What a client's message waits for; null: it goes on at once. */
function waitBefore(text: string, { settled, keepStorage }: GateParts): (() => Promise<void>) | null {
  if (text.includes(goOn)) return settled;
  if (text.includes(closeAll) && methodOf(text) === "Browser.close") return keepStorage;
  return null;
}

function methodOf(text: string): unknown {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null && "method" in message ? message.method : null;
  } catch {
    return null; // The browser refuses it.
  }
}

function pauseUntilDrained(client: Socket, browser: Socket): void {
  client.pause();
  browser.once("drain", () => client.resume());
}
