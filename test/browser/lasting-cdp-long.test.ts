/** The CDP address that stays: clients start the profile by it, share it, leave it running, and find it again after the service was killed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { WebSocket } from "ws";
import type { Profile } from "../../protocol/records.ts";
import { createClient } from "../gateway/client.ts";
import { createProfiles, type RestartedService, startRestartable } from "../gateway/running.ts";
import { serve, until } from "../gateway/serve.ts";

let app: RestartedService;
let base: string;
before(async () => {
  app = await startRestartable({ browsersMax: 2 });
  base = app.service.apiUrl ?? "";
});
after(() => app.stop());

async function profile() {
  const [id = ""] = await createProfiles(app.client, 1);
  const path = `/v1/profiles/${id}`;
  const record = async () => (await app.client.get(path)).body as Profile;
  const query = `token=${app.token}&headless=true`;
  return {
    id,
    path,
    record,
    stop: () => app.client.post(`${path}/stop`),
    http: `${base}${path}/cdp?${query}`,
    ws: `${base.replace("http", "ws")}${path}/cdp?${query}`,
  };
}

test("Playwright connects by both forms to a stopped profile, and it stays when the client goes", async () => {
  const one = await profile();
  for (const [url, headers] of [
    [one.http, {}],
    [one.ws, {}],
    [`${base}${one.path}/cdp?headless=true`, { authorization: `Bearer ${app.token}` }],
  ] as const) {
    const browser = await chromium.connectOverCDP(url, { headers });
    const page = browser.contexts()[0]?.pages()[0];
    await page?.goto("data:text/html,<title>Here</title>");
    assert.equal(await page?.title(), "Here");
    await browser.close();
    const { status, headless } = await one.record();
    assert.deepEqual([status, headless], ["running", true]);
  }
  await one.stop();
});

test("Puppeteer by the WebSocket, Playwright and REST share a browser; Browser.close detaches one of them", async () => {
  const one = await profile();
  const [first, second] = await Promise.all([
    puppeteer.connect({ browserWSEndpoint: one.ws, defaultViewport: null }),
    chromium.connectOverCDP(one.ws),
  ]);
  const [page] = await first.pages();
  await page?.goto("data:text/html,<title>Shared</title>");
  const { body } = await app.client.post(`${one.path}/evaluate`, { expression: "document.title" });
  assert.equal(Object(body).result, "Shared");
  await first.close();
  assert.equal(await second.contexts()[0]?.pages()[0]?.title(), "Shared");
  assert.equal((await one.record()).status, "running");
  await second.close();
  await one.stop();
});

test("json/version and json/list start nothing, carry the token on, and list pages that can be attached to", async () => {
  const one = await profile();
  const json = async (path: string) => {
    const reply = await fetch(`${base}${one.path}/cdp/json/${path}?token=${app.token}`);
    assert.equal(reply.status, 200, path);
    return (await reply.json()) as Record<string, string> & Record<string, string>[];
  };
  for (const path of ["version", "version/"])
    assert.equal((await json(path)).webSocketDebuggerUrl, `${one.ws.split("?")[0]}?token=${app.token}`);
  assert.deepEqual(await json("list"), []);
  assert.equal((await one.record()).status, "stopped");
  await app.client.post(`${one.path}/launch`, { headless: true });
  assert.match((await json("version")).Browser ?? "", /Chrome\/\d+/);
  const [target] = (await json("list/")).filter(({ type }) => type === "page");
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  await once(socket, "open");
  socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: "6 * 7" } }));
  const [answer] = await once(socket, "message");
  assert.equal(JSON.parse(String(answer)).result.result.value, 42);
  socket.terminate();
  await one.stop();
});

/** The status of a refused upgrade, and its body. */
async function refusal(path: string, headers: Record<string, string> = {}): Promise<[number, string]> {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
  };
  const asked = request(new URL(path, base), { headers: { ...upgrade, ...headers } }).end();
  const [reply] = await once(asked, "response");
  let text = "";
  for await (const chunk of reply) text += chunk;
  return [reply.statusCode, text];
}

test("a foreign caller, a read token, a bad query and a full pool are refused with the gate's own answers", async () => {
  const [one, two, three] = [await profile(), await profile(), await profile()];
  const { token: readToken } = await app.service.actors.library.mintToken({ name: "reader", access: "read" });
  await app.restart();
  const at = ({ path }: { path: string }, query = `token=${app.token}`) => `${path}/cdp?${query}`;
  assert.deepEqual(await refusal(at(one, "token=wrong")), [401, ""]);
  assert.deepEqual(await refusal(at(one), { origin: "https://evil.example" }), [403, ""]);
  assert.deepEqual(await refusal(at(one), { host: "evil.example" }), [403, ""]);
  assert.match(String(await refusal(at(one, `token=${readToken}`))), /^403,.*may only read/);
  assert.match(String(await refusal(at(one, `token=${app.token}&wait=1`))), /^400,.*unknown key wait/);
  assert.match(
    String(await refusal(at(one, `token=${app.token}&wait_ms=x`))),
    /^400,.*wait_ms must be an integer/,
  );
  assert.match(
    String(await refusal("/v1/profiles", { authorization: `Bearer ${app.token}` })),
    /^404,.*no WebSocket/,
  );
  assert.match(
    String(await refusal(at({ path: one.path.replace(/.$/, one.path.endsWith("0") ? "1" : "0") }))),
    /^409,.*does not exist/,
  );
  for (const { path } of [one, two]) await app.client.post(`${path}/launch`, { headless: true });
  assert.match(String(await refusal(at(three))), /^409,.*the browser pool is full: 2 of 2/);
  const waiting = refusal(at(three, `token=${app.token}&wait_ms=200`));
  assert.match(String(await waiting), /^409,.*the browser pool is full/);
  for (const { path } of [one, two]) await app.client.post(`${path}/stop`);
});

test("a page that is not open is a 404 and starts nothing; an unknown profile or query is refused over HTTP too", async () => {
  const one = await profile();
  const at = (rest: string, query = "") => `${one.path}/cdp${rest}?token=${app.token}${query}`;
  assert.match(String(await refusal(at("/devtools/page/ABC"))), /^404,.*no page ABC is open/);
  assert.equal((await one.record()).status, "stopped");
  await app.client.post(`${one.path}/launch`, { headless: true });
  assert.match(String(await refusal(at("/devtools/page/ABC"))), /^404,.*no page ABC is open/);
  await one.stop();
  const twice = await refusal(at("", "&headless=true&headless=false"));
  assert.match(String(twice), /^400,.*headless is given twice in the query/);
  const nobody = `/v1/profiles/${one.id.replace(/.$/, one.id.endsWith("0") ? "1" : "0")}`;
  for (const [path, status, error] of [
    [`${one.path}/cdp`, 404, /only WebSockets are served at .*over HTTP there are \/json\/version/],
    [`${one.path}/cdp/json/version?bogus=1`, 400, /unknown key bogus in the query/],
    [`${nobody}/cdp/json/version`, 404, /profile .* does not exist/],
  ] as const) {
    const headers = { authorization: `Bearer ${app.token}` };
    const refused = await fetch(new URL(path, base), { headers });
    assert.equal(refused.status, status, path);
    assert.match(await refused.text(), error);
  }
});

test("a launch and a connection wait for a slot in the order of asking, and one whose caller goes leaves the queue", async () => {
  const [one, two, three, four] = [await profile(), await profile(), await profile(), await profile()];
  const launch = (path: string, wait_ms: number) =>
    app.client.post(`${path}/launch`, { headless: true, wait_ms });
  for (const { path } of [one, two]) await launch(path, 0);
  const queued = async (count: number) =>
    until(`${count} wait`, async () => Object((await app.client.get("/v1/capacity")).body).queued === count);
  const third = launch(three.path, 60_000);
  await queued(1);
  const gone = connect(Number(new URL(base).port), "127.0.0.1");
  gone.write(
    `POST ${four.path}/launch HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${app.token}\r\ncontent-length: 32\r\n\r\n{"headless":true,"wait_ms":60000}`.replace(
      "content-length: 32",
      "content-length: 33",
    ),
  );
  await queued(2);
  gone.destroy();
  await queued(1);
  const socket = new WebSocket(
    `${base.replace("http", "ws")}${four.path}/cdp?token=${app.token}&headless=true&wait_ms=60000`,
  );
  await queued(2);
  await one.stop();
  assert.equal((await third).status, 200);
  await queued(1);
  await two.stop();
  await once(socket, "open");
  assert.equal((await four.record()).status, "running");
  socket.terminate();
  for (const { stop } of [three, four]) await stop();
});

test("the address is the same after a restart of the service", async () => {
  const one = await profile();
  await app.restart();
  const browser = await chromium.connectOverCDP(one.http);
  const page = browser.contexts()[0]?.pages()[0];
  assert.equal(await page?.evaluate("6 * 7"), 42);
  await browser.close();
  await one.stop();
});

test("the address is the same after the service was killed and started again, for Playwright and Puppeteer", async () => {
  const data = await mkdtemp(join(tmpdir(), "troupe-lasting-"));
  const first = await serve(data, "--mint", "lasting");
  const client = await createClient(first.apiUrl, first.token);
  const [id = ""] = await createProfiles(client, 1);
  await client.close();
  const url = `${first.apiUrl}/v1/profiles/${id}/cdp?token=${first.token}&headless=true`;
  const sums = async () => {
    const playwright = await chromium.connectOverCDP(url);
    assert.equal(await playwright.contexts()[0]?.pages()[0]?.evaluate("6 * 7"), 42);
    const browserWSEndpoint = url.replace("http", "ws");
    const other = await puppeteer.connect({ browserWSEndpoint, defaultViewport: null });
    assert.equal(await (await other.pages())[0]?.evaluate("6 * 7"), 42);
    await other.disconnect();
    await playwright.close();
  };
  await sums();
  await first.end("SIGKILL");
  const second = await serve(data, "--port", new URL(first.apiUrl).port);
  await sums();
  await second.end("SIGTERM");
  await rm(data, { recursive: true, force: true });
});

test("an offer of HTTP/2 with a body gets the usual reply", async () => {
  const body = JSON.stringify({ count: 1 });
  const headers = {
    authorization: `Bearer ${app.token}`,
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABkAAQCAAAAAAIAAAAA",
    "content-length": String(body.length),
  };
  const asked = request(new URL("/v1/profiles", base), { method: "POST", headers });
  asked.end(body);
  const [reply] = await once(asked, "response");
  assert.equal(reply.statusCode, 200);
  reply.resume();
});

test("connections that come and go leave nothing", async () => {
  const one = await profile();
  const count = Number(process.env.CDP_CONNECTS ?? 60);
  for (let at = 0; at < count; at += 20)
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = new WebSocket(one.ws);
        await once(socket, "open");
        socket.close();
        await once(socket, "close");
      }),
    );
  assert.equal(Object((await app.client.get("/v1/capacity")).body).active, 1);
  await one.stop();
});
