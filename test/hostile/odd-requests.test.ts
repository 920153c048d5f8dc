/** Malformed requests to every listener get an answer or a closed connection, and the service keeps running. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestService, type TestService } from "../gateway/running.ts";
import { type KnownListener, listenersOf } from "./listeners.ts";
import { type RawReply, sendRaw } from "./raw-http.ts";

let app: TestService;
let listeners: KnownListener[];
before(async () => {
  app = await startTestService();
  listeners = listenersOf(app);
});
after(() => app.stop());

const targets = [
  ..."// /// //[ //a:b //@ /\\ /% /%zz /%00 /%ff /.. /../../etc/passwd /./ /;a=b /?? /?%zz /?a&a /#key /v1 /v1/ /v1//".split(
    " ",
  ),
  ..."/v1/profiles/%/launch /v1/profiles/%2f/launch /v1/runs/%00 /v1/profiles/../capacity /live/ /live/runs/%zz".split(
    " ",
  ),
  ..."/open /open? /open?key /open?key=%zz /mcp? /mcp?profile=%zz /mcp/ /mcp// /rpc? /session? /events? /%2e%2e/".split(
    " ",
  ),
  ..."http://%zz/ http://[ http:// http://127.0.0.1:99999/ http://example.com/v1/capacity ftp://x/ 127.0.0.1:80 * //* a :".split(
    " ",
  ),
  `/${"a".repeat(12_000)}`,
  `/v1/runs?${"limit=1&".repeat(1_500)}`,
  `/v1/profiles/${"%41".repeat(4_000)}/launch`,
  "/\u0000",
  "/\u0001\u007f\u00ff",
  "/a b",
  "",
];

/** A wrong method, header or body is a 4xx, never a failure of the service. */
function assertAnswered(reply: RawReply, what: string): void {
  assert.ok(
    reply.status === null || reply.status < 500,
    `${what}: ${reply.status} ${reply.body.slice(0, 200)}`,
  );
  // A chunked body, or the reply to a HEAD, is not one JSON text here.
  if (reply.body === "" || !/content-length: [1-9]/.test(reply.head) || reply.status === 200) return;
  if (!reply.head.includes("content-type: application/json")) return;
  assert.match(JSON.parse(reply.body).error, /^[a-z ]+: ./, what);
}

const requestOf = (method: string, target: string, { port }: KnownListener, more = "") =>
  Buffer.from(
    `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${more}\r\n`,
    "latin1",
  );

async function onEach(ask: (listener: KnownListener) => Promise<void>): Promise<void> {
  await Promise.all(listeners.map(ask));
  assert.equal((await app.client.get("/v1/capacity")).status, 200);
}

test("every malformed target is answered by every listener, with and without credentials", async () => {
  await onEach(async (listener) => {
    for (const target of targets) {
      for (const credentials of ["", listener.credentials]) {
        const what = `${listener.name} GET ${target.slice(0, 80)}`;
        const reply = await sendRaw(listener.port, requestOf("GET", target, listener, credentials));
        assertAnswered(reply, what);
        assert.ok(reply.status !== null && reply.status !== 408, `${what} is answered`);
      }
    }
  });
});

test("every method is answered, or its connection is closed", async () => {
  const methods = "HEAD PUT DELETE PATCH OPTIONS TRACE CONNECT PROPFIND M-SEARCH SOURCE BREW get".split(" ");
  await onEach(async (listener) => {
    for (const method of methods) {
      const more = `${listener.credentials}Content-Length: 0\r\n`;
      assertAnswered(await sendRaw(listener.port, requestOf(method, listener.path, listener, more)), method);
    }
  });
});

test("malformed headers are answered", async () => {
  const odd = [
    "Content-Length: -1\r\n",
    "Content-Length: 1\r\nContent-Length: 2\r\n",
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked, chunked\r\n",
    "Expect: the unexpected\r\n",
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n",
    "Upgrade: h2c\r\nHTTP2-Settings: %zz\r\n",
    "Cookie: ;;=;troupe_=;\u0001\r\n",
    "Cookie: %zz=%zz; troupe_1=\u00ff\r\n",
    "Origin: null\r\n",
    "Idempotency-Key: \u00ff\r\n",
    "Mcp-Session-Id: \u00ff\r\nMcp-Protocol-Version: \u00ff\r\n",
    "Accept: text/event-stream\r\n",
    "No colon at all\r\n",
    ": no name\r\n",
    "a\u0000b: c\r\n",
    " folded: c\r\n",
  ];
  await onEach(async (listener) => {
    for (const header of odd) {
      for (const method of ["GET", "POST"]) {
        const request = requestOf(method, listener.path, listener, listener.credentials + header);
        const reply = await sendRaw(listener.port, request, (socket) => void socket.end());
        assertAnswered(reply, `${listener.name} ${method} ${JSON.stringify(header)}`);
      }
    }
  });
});

test("bytes that are not HTTP are answered 400 with an error, and the connection is closed", async () => {
  const words = ["x\r\n\r\n", "GET\r\n\r\n", "\u0016\u0003\u0001\u0002", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"];
  await onEach(async ({ name, port }) => {
    for (const bytes of words) {
      const reply = await sendRaw(port, Buffer.from(bytes, "latin1"));
      assert.equal(reply.status, 400, name);
      assert.match(reply.body, /^\{"error":"invalid request: /, name);
    }
  });
});

test("a caller that disconnects during headers, body or reply affects no other caller", async () => {
  await onEach(async (listener) => {
    const { port, path, credentials } = listener;
    const body = requestOf("POST", path, listener, `${credentials}Content-Length: 1000\r\n`);
    const chunked = requestOf("POST", path, listener, `${credentials}Transfer-Encoding: chunked\r\n`);
    for (const bytes of [
      body.subarray(0, 60),
      Buffer.concat([body, Buffer.from('{"a":')]),
      Buffer.concat([chunked, Buffer.from('5\r\n{"a":')]),
      Buffer.concat([chunked, Buffer.from("zz\r\n")]),
      requestOf("GET", path, listener, credentials),
    ]) {
      const torn = await sendRaw(port, bytes, (socket) => void setImmediate(() => socket.resetAndDestroy()));
      assertAnswered(torn, "a connection that is reset");
      assertAnswered(await sendRaw(port, bytes, (socket) => void socket.end()), "a connection that ends");
    }
  });
});

test("two Host or two Authorization headers answer 400 to every caller", async () => {
  await onEach(async (listener) => {
    const own = `host: 127.0.0.1:${listener.port}\r\n`;
    for (const twice of [own, "HOST: example.com\r\n", "Authorization: Bearer a\r\naUTHORIZATION: b\r\n"]) {
      const reply = await sendRaw(listener.port, requestOf("GET", listener.path, listener, twice));
      assert.equal(reply.status, 400, `${listener.name} ${twice}`);
      assert.match(
        JSON.parse(reply.body).error,
        /^invalid request: the header (host|authorization) is given twice$/,
      );
    }
  });
});

test("a URL or headers over 16 KiB answer 431 with an error", async () => {
  await onEach(async (listener) => {
    for (const request of [
      requestOf("GET", `/${"a".repeat(64 * 1024)}`, listener),
      requestOf("GET", listener.path, listener, `X-Long: ${"a".repeat(64 * 1024)}\r\n`),
      requestOf("GET", listener.path, listener, "X-Many: a\r\n".repeat(8_000)),
    ]) {
      const reply = await sendRaw(listener.port, request);
      assert.equal(reply.status, 431, listener.name);
      assert.match(
        JSON.parse(reply.body).error,
        /^invalid request: the URL and the headers together may be at most 16384 b/,
      );
    }
  });
});

test("a request without a Host answers 403 with an empty body", async () => {
  await onEach(async ({ port, path, name }) => {
    const reply = await sendRaw(port, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    assert.deepEqual([reply.status, reply.body], [403, ""], name);
  });
});
