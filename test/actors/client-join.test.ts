/** A client's connection joined with the browser's: one that does not read makes the browser wait, and loses nothing. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, test } from "node:test";
import { joinClient } from "../../actors/profile/identity/client-join.ts";
import { clientWorkers } from "../../actors/profile/identity/client-workers.ts";

const request = "GET /devtools/browser/x HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
const answer = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
const headEnd = "\r\n\r\n";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => once(server.close(), "close")));
});

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket);
    onSocket(socket);
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return port;
}

/** Frames of a browser, as many as no connection holds unread. */
function framesOf(count: number): Buffer {
  const text = Buffer.from(`{"method":"Network.dataReceived","params":{"padding":"${"x".repeat(60)}"}}`);
  const frame = Buffer.concat([Buffer.from([0x81, text.length]), text]);
  return Buffer.concat(Array.from({ length: count }, () => frame));
}

test("a client that does not read is waited for by one listener, and then has every frame", async () => {
  const frames = framesOf(200_000);
  const browserPort = await listen((socket) => {
    socket.once("data", () => socket.write(Buffer.concat([Buffer.from(answer), frames])));
  });
  const none = () => Promise.resolve();
  let most = 0;
  let full = () => {};
  const waits = new Promise<void>((resolve) => {
    full = resolve;
  });
  const port = await listen((socket) => {
    socket.pause();
    socket.on("newListener", (event) => {
      if (event !== "drain") return;
      most = Math.max(most, socket.listenerCount("drain") + 1);
      setImmediate(full);
    });
    joinClient(socket, browserPort, {
      settled: none,
      keepStorage: none,
      clientWorkers: clientWorkers(),
    });
  });
  const client = connect(port, "127.0.0.1").pause();
  sockets.push(client);
  client.write(request);
  await waits;
  assert.equal(most, 1);
  const heard: Buffer[] = [];
  let bytes = 0;
  const whole = new Promise<void>((resolve) => {
    client.on("data", (chunk: Buffer) => {
      heard.push(chunk);
      bytes += chunk.length;
      if (bytes >= answer.length + frames.length) resolve();
    });
  });
  client.resume();
  await whole;
  const all = Buffer.concat(heard);
  assert.equal(all.indexOf(headEnd) + headEnd.length, answer.length);
  assert.equal(all.subarray(answer.length).equals(frames), true);
});
