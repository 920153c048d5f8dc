/** Launches that load unpacked extensions: by id, with what they keep, and refusals in words. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import type { AddedExtension } from "../../protocol/messages/extensions.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { openDisplay } from "./fixture/display.ts";

const site = createServer((_request, response) => {
  response.setHeader("content-type", "text/html");
  response.end("<!doctype html><title>Site</title><h1>Site</h1>");
});

const manifest = {
  manifest_version: 3,
  name: "__MSG_title__",
  default_locale: "en",
  version: "1.2",
  permissions: ["storage"],
  background: { service_worker: "worker.js" },
  content_scripts: [{ matches: ["http://127.0.0.1/*"], js: ["mark.js"] }],
};
/** Counts the pages it has seen, over all launches of a profile. */
const mark = `chrome.storage.local.get("seen").then(async ({ seen = 0 }) => {
  await chrome.storage.local.set({ seen: seen + 1 });
  document.documentElement.dataset.mark = chrome.runtime.id + " " + (seen + 1);
});`;

let dir: string;
let app: TestService;
let counter: AddedExtension;
let display: Awaited<ReturnType<typeof openDisplay>>;
const library = () => app.service.actors.library;
const own = { ...process.env };

async function extension(name: string, files: Record<string, string>): Promise<string> {
  const at = join(dir, name);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(at, file, ".."), { recursive: true });
    await writeFile(join(at, file), text);
  }
  return at;
}

before(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "troupe-extensions-")));
  display = await openDisplay(dir);
  Object.assign(process.env, display.env);
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  app = await startTestService();
  counter = await library().addExtension({
    dir: await extension("counter", {
      "manifest.json": `// A comment, as Chromium allows it.\n${JSON.stringify(manifest)}`,
      "_locales/en/messages.json": JSON.stringify({ Title: { message: "Counter" } }),
      "mark.js": mark,
      "worker.js": "chrome.runtime.onMessage.addListener(() => {});",
    }),
  });
});
after(async () => {
  await app.stop();
  for (const name of Object.keys(display.env)) delete process.env[name];
  Object.assign(process.env, own);
  await display.close();
  site.closeAllConnections();
  site.close();
  await rm(dir, { recursive: true, force: true });
});

const launch = (id: string, body: object) => app.client.post(`/v1/profiles/${id}/launch`, body);

/** What the extension wrote into the page. */
async function visited(id: string): Promise<string> {
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  assert.equal((await app.client.post(`/v1/profiles/${id}/navigate`, { url })).status, 200);
  let mark = "";
  await until("the extension's mark", async () => {
    const expression = "document.documentElement.dataset.mark ?? ''";
    const { body } = await app.client.post(`/v1/profiles/${id}/evaluate`, { expression });
    mark = String(Object(body).result);
    return mark !== "";
  });
  return mark;
}

async function stop(id: string): Promise<void> {
  assert.equal((await app.client.post(`/v1/profiles/${id}/stop`)).status, 204);
}

test("an extension works without and with a window, and keeps its data over stops and launches without it", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const extensions = [counter.extension_id];
  assert.equal((await launch(id, { headless: true, extensions })).status, 200);
  assert.equal(await visited(id), `${counter.extension_id} 1`);
  await stop(id);
  const { cdpUrl, pid } = Object((await launch(id, { headless: true })).body);
  const targets = await (await fetch(`${cdpUrl}/json/list`)).text();
  assert.doesNotMatch(targets, /chrome-extension:/);
  assert.doesNotMatch(await readFile(`/proc/${pid}/cmdline`, "utf8"), /extension-debugging/);
  await stop(id);
  assert.equal((await launch(id, { extensions })).status, 200);
  assert.equal(await visited(id), `${counter.extension_id} 2`);
  await stop(id);
});

test("start_url is loaded with the extension in place", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const start_url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const body = { headless: true, extensions: [counter.extension_id], start_url };
  assert.equal((await launch(id, body)).status, 200);
  const waited = await app.client.post(`/v1/profiles/${id}/wait-for`, {
    selector: `html[data-mark="${counter.extension_id} 1"]`,
  });
  assert.equal(waited.status, 200, JSON.stringify(waited.body));
  await stop(id);
});

test("a client of the browser cannot load a directory of its own", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const started = await launch(id, { headless: true, extensions: [counter.extension_id] });
  const { cdpUrl } = Object(started.body);
  const version = Object(await (await fetch(`${cdpUrl}/json/version`)).json());
  const client = new WebSocket(version.webSocketDebuggerUrl);
  await once(client, "open");
  const answer = async (method: string, params: object) => {
    client.send(JSON.stringify({ id: 1, method, params }));
    const [text] = await once(client, "message");
    return String(text);
  };
  assert.match(await answer("Extensions.loadUnpacked", { path: counter.dir }), /the user adds extensions/);
  assert.match(await answer("Extensions.getExtensions", {}), new RegExp(`"id":"${counter.extension_id}"`));
  client.close();
  await stop(id);
});

test("what does not load is refused in words, and leaves no browser", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const refusal = async (extensions: string[], more: object = {}) => {
    const { status, body } = await launch(id, { headless: true, extensions, ...more });
    const { body: capacity } = await app.client.get("/v1/capacity");
    assert.equal(Object(capacity).active, 0);
    return [status, Object(body).error];
  };
  const unknown = await refusal(["a".repeat(32)]);
  assert.deepEqual(unknown, [
    404,
    `not found: there is no extension ${"a".repeat(32)}: the user adds it in the application, or with troupe extension add DIR`,
  ]);
  assert.equal((await refusal(["../x"]))[0], 400);

  const files = { "manifest.json": JSON.stringify({ ...manifest, name: "Gone" }) };
  const gone = await library().addExtension({ dir: await extension("gone", files) });
  await rename(gone.dir, `${gone.dir}-moved`);
  const [status, error] = await refusal([counter.extension_id, gone.extension_id]);
  assert.equal(status, 409);
  assert.match(String(error), /extension Gone does not load: .*\/gone is no directory, or is gone/);
  const { body: listed } = await app.client.get("/v1/extensions");
  assert.match(Object(listed)[1].error, /is gone/);
  assert.deepEqual(Object(listed)[0], {
    extension_id: counter.extension_id,
    name: "Counter",
    version: "1.2",
  });

  const bad = { ...manifest, name: "Bad", content_scripts: [{ matches: ["nonsense"], js: ["mark.js"] }] };
  const broken = await library().addExtension({
    dir: await extension("bad", { "manifest.json": JSON.stringify(bad) }),
  });
  const [badStatus, reason] = await refusal([broken.extension_id]);
  assert.equal(badStatus, 409);
  assert.match(String(reason), /the browser refuses extension Bad: .*content_scripts/);

  const proxying = { manifest_version: 3, name: "Proxying", version: "1", permissions: ["proxy"] };
  const changer = await library().addExtension({
    dir: await extension("proxying", { "manifest.json": JSON.stringify(proxying) }),
  });
  await library().changeSettings({ settings: { echoUrls: [] } });
  await app.client.call("PATCH", `/v1/profiles/${id}`, { body: { proxy: "127.0.0.1:9" } });
  assert.match(String((await refusal([changer.extension_id]))[1]), /Proxying may change the proxy/);
});
