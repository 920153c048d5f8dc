/** The debugging address: pages are refused, and clients see only their own sessions and cannot harm each other. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { createTestProfile, makeDir, removeDir, type TestProfile } from "../../browser/fixture/profile.ts";
import { until } from "../../gateway/serve.ts";

let dir: string;
let profile: TestProfile;
let cdpUrl: string;
let pid: number;
let port: number;
before(async () => {
  dir = await makeDir();
  profile = createTestProfile(dir);
  ({ cdpUrl, pid } = await profile.open());
  port = Number(new URL(cdpUrl).port);
});
after(async () => {
  await profile.control.stop({});
  await removeDir(dir);
});

interface Answer {
  status: number;
  text: string;
}

/** With node:http, because `fetch` does not allow these headers. */
async function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const asking = request({ host: "127.0.0.1", port, path, method, headers }).end();
  const [response] = await once(asking, "response");
  let text = "";
  for await (const part of response) text += part;
  return { status: response.statusCode, text };
}

function upgrade(path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  return new Promise((resolve) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.on("error", () => resolve(0));
  }).then((status) => {
    socket.terminate();
    return Number(status);
  });
}

const browserPath = async () =>
  new URL(JSON.parse((await ask("/json/version")).text).webSocketDebuggerUrl).pathname;

interface Client {
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>;
  heard: Record<string, unknown>[];
  socket: WebSocket;
}

async function attach(path: string): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  await once(socket, "open");
  const heard: Record<string, unknown>[] = [];
  const waiting = new Map<number, (message: Record<string, unknown>) => void>();
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.id === undefined) heard.push(message);
    else waiting.get(message.id)?.(message);
  });
  let lastId = 0;
  return {
    heard,
    socket,
    send(method, params = {}, sessionId) {
      lastId += 1;
      const id = lastId;
      socket.send(JSON.stringify({ id, method, params, sessionId }));
      return new Promise((resolve) => waiting.set(id, resolve));
    },
  };
}

const pageId = async (): Promise<string> =>
  JSON.parse((await ask("/json/list")).text).find(({ type }: { type: string }) => type === "page").id;

const strangers: Record<string, Record<string, string>> = {
  "another page": { origin: "https://evil.example" },
  "a page without an origin": { origin: "null" },
  "a page on this very address": { origin: "http://127.0.0.1" },
  "a page's navigation": { "sec-fetch-site": "cross-site" },
  "a page of this origin": { "sec-fetch-site": "same-origin" },
  "a page of this site": { "sec-fetch-site": "same-site" },
  "a page that is loaded ahead": { "sec-fetch-site": "none", "sec-purpose": "prefetch" },
  "a rebound name": { host: "evil.example" },
  "a name that ends like ours": { host: "localhost.evil.example" },
  "another port's name": { host: "127.0.0.1:1" },
};

for (const [who, headers] of Object.entries(strangers))
  test(`${who} is refused at every address and socket`, async () => {
    for (const path of ["/json/version", "/json/list/", "/json", "/json/protocol", "/"])
      assert.equal((await ask(path, headers)).status, 403, path);
    assert.equal((await ask("/json/new?file:///etc/passwd", headers, "PUT")).status, 403);
    const paths = [await browserPath(), `/devtools/page/${await pageId()}`];
    for (const path of paths) assert.equal(await upgrade(path, headers), 403, path);
  });

test("two Host headers are refused", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.write(
    "GET /json/version HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
  );
  let text = "";
  for await (const part of socket) text += part;
  assert.match(text, /^HTTP\/1\.1 (400|403) /);
});

test("programs and DevTools are accepted, by each name of loopback", async () => {
  for (const headers of [
    {},
    { host: `localhost:${port}` },
    { host: "127.0.0.1" },
    { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    { "sec-fetch-mode": "cors" },
    { origin: "devtools://devtools" },
  ] as Record<string, string>[]) {
    assert.equal((await ask("/json/version/", headers)).status, 200, JSON.stringify(headers));
    assert.equal(await upgrade(await browserPath(), headers), 101, JSON.stringify(headers));
  }
});

test("the browser's processes listen on no port", () => {
  if (process.platform !== "linux") return; // Only Linux shows which process listens.
  const inodes = new Set<string>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const group = readFileSync(`/proc/${name}/stat`, "latin1").split(") ")[1]?.split(" ")[2];
      if (Number(group) !== pid) continue;
      for (const fd of readdirSync(`/proc/${name}/fd`))
        inodes.add(/^socket:\[(\d+)\]$/.exec(readlinkSync(join("/proc", name, "fd", fd)))?.[1] ?? "");
    } catch {
      // It exited meanwhile.
    }
  }
  assert.ok(inodes.size > 1, "the browser has sockets");
  const listening = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "latin1")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = ""]) => state === "0A" && inodes.has(inode)),
  );
  assert.deepEqual(listening, []);
});

test("/json commands work, and are refused for unknown targets, as at Chromium's own port", async () => {
  assert.equal((await ask("/json/new?about:blank")).status, 405);
  const { id, webSocketDebuggerUrl } = JSON.parse((await ask("/json/new?about:blank", {}, "PUT")).text);
  assert.equal(webSocketDebuggerUrl, `ws://127.0.0.1:${port}/devtools/page/${id}`);
  assert.deepEqual(await ask(`/json/activate/${id}`), { status: 200, text: "Target activated" });
  assert.deepEqual(await ask(`/json/close/${id}/`), { status: 200, text: "Target is closing" });
  await until("the page is closed", async () => !(await ask("/json/list")).text.includes(id));
  assert.deepEqual(await ask("/json/close/none"), { status: 404, text: "No such target id: none" });
  for (const path of ["/json/odd", "/json/close/a/b", "/odd", "//", "/json/%zz", "/jsonx"])
    assert.equal((await ask(path)).status, 404, path);
  assert.ok(JSON.parse((await ask("/json/protocol")).text).domains.length > 40);
  assert.equal(await upgrade("/devtools/page/none", {}), 500);
  assert.equal(await upgrade("/devtools/browser/none", {}), 404);
  assert.equal(await upgrade("/elsewhere", {}), 404);
});

test("a client can use and see only its own sessions", async () => {
  const [one, two] = await Promise.all([attach(await browserPath()), attach(await browserPath())]);
  const targetId = await pageId();
  const { result } = await one.send("Target.attachToTarget", { targetId, flatten: true });
  const { sessionId } = Object(result);
  await one.send("Runtime.enable", {}, sessionId);
  const foreign = await two.send("Runtime.evaluate", { expression: "1" }, sessionId);
  assert.match(JSON.stringify(foreign.error), /Session with given id not found/);
  assert.deepEqual(two.heard, []);
  one.socket.close();
  await once(one.socket, "close");
  assert.ok((await two.send("Browser.getVersion")).result);
  two.socket.close();
});

test("a page's client has the page as its root, and ends with it", async () => {
  const { id } = JSON.parse((await ask("/json/new?about:blank", {}, "PUT")).text);
  const client = await attach(`/devtools/page/${id}`);
  const { result } = await client.send("Runtime.evaluate", { expression: "6 * 7", returnByValue: true });
  assert.equal(Object(result).result.value, 42);
  await client.send("Runtime.enable");
  await until("its context", () =>
    client.heard.some(({ method }) => method === "Runtime.executionContextCreated"),
  );
  assert.ok(client.heard.every(({ sessionId }) => sessionId === undefined));
  const closed = once(client.socket, "close");
  await ask(`/json/close/${id}`);
  await closed;
});

test("an invalid command is answered with an error, and the client stays connected", async () => {
  const client = await attach(await browserPath());
  const answered: string[] = [];
  client.socket.on("message", (data) => answered.push(String(data)));
  for (const text of [
    "{",
    "1",
    "null",
    "[]",
    "{}",
    '{"id":"x","method":"a"}',
    '{"id":1.5,"method":"a"}',
    '{"id":1}',
  ])
    client.socket.send(text);
  client.socket.send(Buffer.from([1, 2, 3]));
  await until("eight errors", () => answered.length === 8);
  for (const text of answered) assert.match(text, /"error":\{"code":-32[67]00/);
  assert.ok((await client.send("Browser.getVersion")).result);
  client.socket.close();
});

test("a client's relative download directory is below the profile's", async () => {
  const client = await attach(await browserPath());
  const params = { behavior: "allow", downloadPath: ".ssh", eventsEnabled: true };
  assert.ok((await client.send("Browser.setDownloadBehavior", params)).result);
  await profile.page.evaluate({
    expression: `{ const link = document.createElement("a"); link.href = "data:text/plain,mine"; link.download = "keys.txt"; link.click(); }`,
  });
  const done = ({ method, params: said }: Record<string, unknown>) =>
    method === "Browser.downloadProgress" && Object(said).state === "completed";
  await until("the download", () => client.heard.some(done));
  const files = readdirSync(dir, { recursive: true }).map(String);
  assert.equal(files.filter((file) => file.endsWith(join("Downloads", ".ssh", "keys.txt"))).length, 1);
  client.socket.close();
});

test("a client that does not read is disconnected, and the others are answered meanwhile", async () => {
  const deaf = await attach(`/devtools/page/${await pageId()}`);
  const other = await attach(await browserPath());
  deaf.socket.pause();
  const closed = new Promise((resolve) => deaf.socket.once("close", resolve));
  const expression = "'x'.repeat(8 * 1024 ** 2)";
  for (let round = 0; round < 24; round += 1)
    deaf.socket.send(
      JSON.stringify({ id: 1_000 + round, method: "Runtime.evaluate", params: { expression } }),
    );
  assert.ok((await other.send("Browser.getVersion")).result);
  deaf.socket.once("error", () => {});
  // Only a write shows that the connection is closed.
  await until("the connection is closed", () => {
    if (deaf.socket.readyState === WebSocket.OPEN) deaf.socket.ping();
    return deaf.socket.readyState !== WebSocket.OPEN;
  });
  deaf.socket.terminate();
  await closed;
  assert.ok((await other.send("Browser.getVersion")).result);
  other.socket.close();
});
