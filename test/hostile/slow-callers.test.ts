/** Callers that keep a connection open with half a header or a slow body. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Handler } from "../../gateway/boundary.ts";
import { readBytes } from "../../gateway/gate/body.ts";
import { type Listener, listen } from "../../gateway/listener.ts";
import { respond, respondEmpty } from "../../gateway/respond.ts";
import { sendRaw } from "./raw-http.ts";

const patience = { headersMs: 200, bodyWindowMs: 100, bodyBytesMin: 100, lookMs: 20 };

const loop: { itself?: object } = {};
loop.itself = loop;

const answerAs: Handler = async ({ request, response }) => {
  if (request.url === "/read") return respond(response, 200, { bytes: (await readBytes(request)).length });
  if (request.url === "/stranger") return respondEmpty(response, 401);
  if (request.url === "/loop") return respond(response, 200, loop);
  if (request.url === "/throw") throw loop;
  if (request.url === "/half") {
    response.writeHead(200).write("half");
    throw new Error("during the reply");
  }
};

const failures: unknown[] = [];
let listener: Listener;
before(async () => {
  listener = await listen(
    0,
    () => answerAs,
    { debug() {}, error: (_message, fields) => void failures.push(fields?.error) },
    { patience },
  );
});
after(() => listener.close(0));

const post = (target: string, more: string) =>
  `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${more}\r\n`;

test("half a header is answered 408 with an error, and the connection is closed", async () => {
  const reply = await sendRaw(listener.port, "POST / HTTP/1.1\r\nHost: 127.0");
  assert.equal(reply.status, 408);
  assert.match(JSON.parse(reply.body).error, /^invalid request: the headers did not arrive in time$/);
});

test("a connection without data is closed without a reply", async () => {
  assert.deepEqual(await sendRaw(listener.port, ""), { status: null, head: "", body: "" });
});

for (const head of ["Content-Length: 1000\r\n", "Transfer-Encoding: chunked\r\n"]) {
  test(`a body that stops or is too slow is answered 408 with an error (${head.trim()})`, async () => {
    for (const everyMs of [10, 10_000]) {
      const reply = await sendRaw(listener.port, post("/read", head), (socket) => {
        const drip = setInterval(() => socket.write(head.startsWith("C") ? "x" : "1\r\nx\r\n"), everyMs);
        socket.once("close", () => clearInterval(drip));
      });
      assert.equal(reply.status, 408);
      assert.match(
        JSON.parse(reply.body).error,
        /^invalid request: the body must arrive with at least 100 bytes/,
      );
    }
  });
}

test("the unread body of a caller without credentials does not keep the connection open", async () => {
  const request = post("/stranger", "Content-Length: 1000\r\n").replace("Connection: close\r\n", "");
  assert.equal((await sendRaw(listener.port, request)).status, 401);
});

test("a body that is fast enough is accepted, however long it takes", async () => {
  const reply = await sendRaw(listener.port, post("/read", "Content-Length: 20000\r\n"), (socket) => {
    let sent = 0;
    const feed = setInterval(() => {
      sent += 1;
      socket.write("x".repeat(500));
      if (sent === 40) clearInterval(feed);
    }, 10);
    socket.once("close", () => clearInterval(feed));
  });
  assert.deepEqual([reply.status, reply.body], [200, '{"bytes":20000}']);
});

test("a reply that is not JSON, or any error of a handler, is a logged 500", async () => {
  for (const [target, words] of [
    ["/loop", /^internal error: Converting circular structure/],
    ["/throw", /^internal error: \[object Object\]/],
  ] as const) {
    failures.length = 0;
    const reply = await sendRaw(listener.port, post(target, ""));
    assert.equal(reply.status, 500);
    assert.match(JSON.parse(reply.body).error, words);
    assert.equal(failures.length, 1);
  }
});

test("a handler that fails during its reply ends the connection", async () => {
  const reply = await sendRaw(listener.port, post("/half", ""));
  assert.equal(reply.status, 200);
  assert.doesNotMatch(reply.body, /0\r\n\r\n$/);
});
