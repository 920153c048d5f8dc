/** Odd answers to plain HTTP: behind the bridge, through an HTTP proxy and through microsocks, a page gets what Chromium makes of them itself. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { after, before, test } from "node:test";
import { microsocksPath, startMicrosocks, type TestProxy, withProgram } from "../actors/proxies/servers.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { type PlainProxy, startPlainProxy } from "./fixture/plain-proxy.ts";

const html = "Content-Type: text/html\r\n";
const three = `${html}Content-Length: 3\r\n\r\nabc`;
const chunked = `${html}Transfer-Encoding: chunked\r\n`;
const answers: Record<string, string> = {
  plain: `HTTP/1.1 200 OK\r\n${three}`,
  spaceBeforeColon: `HTTP/1.1 200 OK\r\nExpires : 0\r\n${three}`,
  lengthBesideChunked: `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n${chunked}\r\n6\r\nabcdef\r\n0\r\n\r\n`,
  chunkedBesideLength: `HTTP/1.1 200 OK\r\n${chunked}Content-Length: 3\r\n\r\n6\r\nabcdef\r\n0\r\n\r\n`,
  noReason: `HTTP/1.1 200\r\n${three}`,
  lineFeeds: `HTTP/1.1 200 OK\n${three.replaceAll("\r", "")}`,
  lengthTwice: `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n${three}`,
  untilClosed: `HTTP/1.0 200 OK\r\n${html}\r\nabc`,
  latin1: `HTTP/1.1 200 OK\r\nX-Name: J\xf6rg\r\n${three}`,
  noName: `HTTP/1.1 200 OK\r\n: x\r\n${three}`,
  noColon: `HTTP/1.1 200 OK\r\nnonsense\r\n${three}`,
  folded: `HTTP/1.1 200 OK\r\nX-A: 1\r\n  2\r\n${three}`,
  control: `HTTP/1.1 200 OK\r\nX-A: a\x01b\r\n${three}`,
  status999: `HTTP/1.1 999 Odd\r\n${three}`,
  tooShort: `HTTP/1.1 200 OK\r\n${html}Content-Length: 9\r\n\r\nabc`,
  cutChunk: `HTTP/1.1 200 OK\r\n${chunked}\r\n6\r\nabc`,
  earlyHints: `HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\n${three}`,
  trailer: `HTTP/1.1 200 OK\r\n${chunked}Trailer: X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n`,
};

const site = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", (bytes) => {
    const [, name = ""] = /^GET (?:http:\/\/[^/]+)?\/(\w+) /.exec(bytes.toString("latin1")) ?? [];
    socket.end(Buffer.from(answers[name] ?? "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "latin1"));
  });
});

let app: TestService;
let port: number;
let proxy: PlainProxy;
before(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  port = (site.address() as AddressInfo).port;
  proxy = await startPlainProxy(() => port);
  app = await startTestService();
  await app.service.actors.library.changeSettings({ settings: { echoUrls: [] } });
});
after(async () => {
  await app.stop();
  site.close();
  proxy.close();
});

/** What a page shows of each answer, or the error of its load. */
async function seenBy(line: string | null, host: string): Promise<Record<string, unknown>> {
  const [id = ""] = await createProfiles(app.client, 1);
  const path = `/v1/profiles/${id}`;
  if (line !== null) await app.client.call("PATCH", path, { body: { proxy: line } });
  assert.equal((await app.client.post(`${path}/launch`, { headless: true })).status, 200);
  const seen: Record<string, unknown> = {};
  for (const name of Object.keys(answers)) {
    const went = await app.client.post(`${path}/navigate`, { url: `http://${host}/${name}` });
    const error = /net::\w+/.exec(Object(went.body).error ?? "")?.[0];
    const { body } = await app.client.post(`${path}/evaluate`, { expression: "document.body.textContent" });
    seen[name] = error ?? Object(body).result;
  }
  await app.client.post(`${path}/stop`);
  return seen;
}

test("through an HTTP proxy", async () => {
  const direct = await seenBy(null, `127.0.0.1:${port}`);
  assert.equal(direct.lengthBesideChunked, "abcdef");
  assert.deepEqual(await seenBy(`http://127.0.0.1:${proxy.port}`, "shop.test"), direct);
});

withProgram(microsocksPath, test)("through microsocks with a password", async () => {
  const direct = await seenBy(null, `127.0.0.1:${port}`);
  const socks: TestProxy = await startMicrosocks();
  const { username, password, port: at } = socks.upstream;
  const line = `socks5://${encodeURIComponent(username ?? "")}:${encodeURIComponent(password ?? "")}@127.0.0.1:${at}`;
  assert.deepEqual(await seenBy(line, `127.0.0.1:${port}`), direct);
  await socks.close();
});
