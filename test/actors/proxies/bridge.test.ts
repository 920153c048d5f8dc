/** The bridge's plain HTTP without a browser: what the proxy gets of each request. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { type Bridge, openBridge } from "../../../actors/profile/proxy/bridge.ts";
import { until } from "../../gateway/serve.ts";
import { startNotingSocks } from "./servers.ts";

/** A proxy that notes what it gets, and answers each request that has ended. */
let got = "";
const sockets = new Set<Socket>();
const proxy = createServer((socket) => {
  sockets.add(socket);
  socket
    .on("error", () => {})
    .on("data", (bytes) => {
      got += bytes.toString("latin1");
      if (got.startsWith("CONNECT ")) return void socket.write("HTTP/1.1 200 OK\r\n\r\nfirst");
      if (/^GET .*\r\n\r\n$|0\r\n\r\n$/s.test(got))
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
});
let bridge: Bridge;
before(async () => {
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  bridge = await openBridge({
    type: "http",
    host: "127.0.0.1",
    port,
    username: "us er@x.y:1",
    password: "p@:%#?ü",
  });
});
after(async () => {
  await bridge.close();
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

/** Sends one request after the other over one connection; what comes back of each. */
async function ask(...requests: string[]): Promise<string[]> {
  const socket = connect(bridge.port, "127.0.0.1");
  const replies: string[] = [];
  for (const request of requests) {
    got = "";
    socket.write(request, "latin1");
    const [reply] = await Promise.race([once(socket, "data"), once(socket, "close").then(() => [""])]);
    replies.push(String(reply));
  }
  socket.destroy();
  return replies;
}

const password = Buffer.from("us er@x.y:1:p@:%#?ü").toString("base64");

test("requests keep their order, names and body, and get the proxy's password before the page's headers", async () => {
  const head = "GET http://shop.test/a HTTP/1.1\r\nHost: shop.test\r\nPragma: no-cache\r\n";
  const ofThePage = "x-Odd: J\xf6rg\r\nPragma: x\r\n\r\n";
  const [first, second] = await ask(`${head}${ofThePage}`, `${head.replace("/a", "/b")}${ofThePage}`);
  assert.equal(got, `${head.replace("/a", "/b")}Proxy-Authorization: Basic ${password}\r\n${ofThePage}`);
  assert.deepEqual(
    [first, second].map((reply) => reply?.split("\r\n")[0]),
    ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"],
  );
});

test("a body in chunks arrives in chunks", async () => {
  const head = "POST http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: chunked\r\n";
  const [reply] = await ask(`${head}\r\n3\r\nxyz\r\n4\r\nuvwt\r\n0\r\n\r\n`);
  assert.match(reply ?? "", /^HTTP\/1\.1 200/);
  const [, body = ""] = got.split(/\r\n\r\n(.*)/s);
  const lines = body.split("\r\n");
  const chunks = lines.filter((_, at) => at % 2 === 1).join("");
  assert.equal(chunks, "xyzuvwt");
  assert.equal(Number.parseInt(lines[0] ?? "", 16), lines[1]?.length);
});

test("the browser's own requests are refused, and what is no request to a proxy is cut", async () => {
  const own = "GET http://update.googleapis.com/x HTTP/1.1\r\nHost: update.googleapis.com\r\n\r\n";
  assert.match((await ask(own))[0] ?? "", /^HTTP\/1\.1 403/);
  assert.equal((await ask("GET /x HTTP/1.1\r\nHost: shop.test\r\n\r\n"))[0], "");
  assert.equal(got, "");
});

test("a tunnel gets the proxy's password, also that of a user with a colon, and the first bytes of its site", async () => {
  const socket = connect(bridge.port, "127.0.0.1");
  got = "";
  socket.write("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n");
  let text = "";
  for await (const bytes of socket) {
    text += bytes;
    if (text.endsWith("first")) break;
  }
  assert.match(text, /^HTTP\/1\.1 200 /);
  assert.ok(got.startsWith("CONNECT [::1]:443 HTTP/1.1\r\n"), got);
  assert.ok(got.includes(`Basic ${password}\r\n`), got);
});

test("over SOCKS5 an IPv6 site is asked for as an address, and a path keeps its empty query", async () => {
  let head = "";
  const site = createServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", (bytes) => {
        head = bytes.toString("latin1");
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const socks = await startNotingSocks((site.address() as AddressInfo).port);
  const over = await openBridge(socks.upstream);
  for (const request of [
    "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n",
    "GET http://[::1]/x? HTTP/1.1\r\nHost: [::1]\r\n\r\n",
  ]) {
    const socket = connect(over.port, "127.0.0.1");
    socket.write(request);
    assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1\.1 200 /);
    socket.destroy();
  }
  const loopback = `${"0".repeat(31)}1`;
  assert.deepEqual(socks.asked, [`${loopback}:443`, `${loopback}:80`]);
  assert.match(head, /^GET \/x\? HTTP/);
  await over.close();
  await socks.close();
  site.close();
});

const piece = "x".repeat(50_000);
const many = Array.from({ length: 4 }, () => piece);
const upload = "POST http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n";

for (const [what, first, rest] of [
  ["a tunnel", "CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\n\r\n", ["a reply"]],
  ["a body", `${upload}Content-Length: ${many.length * piece.length}\r\n\r\n`, many],
  [
    "a body in chunks",
    `${upload}Transfer-Encoding: chunked\r\n\r\n`,
    many.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`),
  ],
] as const)
  test(`connections of ${what} end when the proxy ends first and the browser sends on`, async () => {
    const open = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = open();
    let atProxy: Socket | undefined;
    const ending = createServer((socket) => {
      atProxy = socket.on("error", () => {});
      socket.once("data", () => socket.pause().end("HTTP/1.1 200 OK\r\n\r\nfirst"));
    });
    ending.listen(0, "127.0.0.1");
    await once(ending, "listening");
    const { port } = ending.address() as AddressInfo;
    const own = await openBridge({ type: "http", host: "127.0.0.1", port, username: null, password: null });
    // More than the other tests may have left open until now.
    for (let connections = 0; connections < 50; connections += 1) {
      const socket = connect({ port: own.port, host: "127.0.0.1", allowHalfOpen: true });
      const closed = new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
      socket.write(first);
      await once(socket.resume(), "end");
      for (const text of rest) socket.write(text);
      atProxy?.destroy();
      socket.end();
      await closed;
    }
    await until("the bridge's connections end", () => open() <= before);
    await own.close();
    ending.close();
  });

test("an upload that the browser gives up ends at the proxy", async () => {
  got = "";
  const arrived = once(proxy, "connection");
  const socket = connect(bridge.port, "127.0.0.1");
  socket.write(`${upload}Transfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n`);
  const [atProxy] = await arrived;
  await until("a chunk arrives", () => got.includes("xyz"));
  socket.destroy();
  await once(atProxy, "close");
});
