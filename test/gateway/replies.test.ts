/** Replies on the wire: right content length, and in order for pipelined requests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { startTestService, type TestService } from "./running.ts";

let started: TestService;

before(async () => {
  started = await startTestService();
});
after(() => started.stop());

interface Reply {
  status: number;
  body: string;
}

/** Sends all requests in one write, and returns the replies until the service closes the connection. */
async function replies(requests: readonly { line: string; body?: string }[]): Promise<Reply[]> {
  const { apiUrl } = started.service;
  const { port } = new URL(String(apiUrl));
  const socket = connect(Number(port), "127.0.0.1");
  const text = requests.map(({ line, body = "" }, at) => {
    const last = at === requests.length - 1 ? "connection: close\r\n" : "";
    const head = `host: 127.0.0.1:${port}\r\nauthorization: Bearer ${started.token}\r\n${last}`;
    return `${line} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
  socket.write(text.join(""));
  const chunks: Buffer[] = [];
  socket.on("data", (bytes) => chunks.push(bytes));
  await once(socket, "end");
  socket.destroy();
  return taken(
    Buffer.concat(chunks),
    requests.map(({ line }) => line.startsWith("HEAD")),
  );
}

/** Splits the bytes into replies by content length; replies to HEAD have no body. Throws when bytes remain. */
function taken(bytes: Buffer, heads: readonly boolean[]): Reply[] {
  let at = 0;
  const found = heads.map((isHead) => {
    const end = bytes.indexOf("\r\n\r\n", at) + 4;
    const head = bytes.subarray(at, end).toString("latin1");
    assert.match(head, /^HTTP\/1\.1 \d{3} /);
    const length = isHead ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    at = end + length;
    return { status: Number(head.slice(9, 12)), body: bytes.subarray(end, at).toString() };
  });
  assert.equal(at, bytes.length);
  return found;
}

test("replies to pipelined requests are in order and have the right content length", async () => {
  const found = await replies([
    { line: "GET /v1/capacity" },
    { line: "POST /v1/profiles", body: '{"count":0}' },
    { line: "GET /v1/nowhere" },
    { line: "GET /v1/profiles" },
  ]);
  assert.deepEqual(
    found.map(({ status }) => status),
    [200, 400, 404, 200],
  );
  assert.equal(typeof JSON.parse(found[0]?.body ?? "").max, "number");
  assert.match(JSON.parse(found[1]?.body ?? "").error, /count must be an integer/);
  assert.equal(found[3]?.body, "[]");
});

test("a text beyond ASCII arrives complete", async () => {
  const [reply] = await replies([{ line: "POST /v1/profiles", body: '{"count":1,"größe":"漢字"}' }]);
  assert.equal(reply?.status, 400);
  assert.match(JSON.parse(reply?.body ?? "").error, /unknown key größe/);
});

test("a refusal of HEAD has no body, and the next reply is the next request's", async () => {
  const [head, next] = await replies([{ line: "HEAD /v1/capacity" }, { line: "GET /v1/capacity" }]);
  assert.equal(head?.status, 405);
  assert.equal(next?.status, 200);
});
