/** Launches that block requests: what a shop's page costs through a real proxy, with and without. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { type PlainProxy, startPlainProxy } from "./fixture/plain-proxy.ts";

const picture = Buffer.alloc(60_000, 7);
const asked: string[] = [];
/** A shop's start page: text, styles, a script, pictures, a film and a font. */
const shop = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://shop.test").pathname; // A proxy is asked for whole addresses.
  asked.push(url);
  const styles = `@font-face { font-family: F; src: url(/f.woff2) } body { font-family: F; background: url(/back.png) }`;
  if (url === "/s.css") return void response.setHeader("content-type", "text/css").end(styles);
  if (url === "/a.js")
    return void response.setHeader("content-type", "text/javascript").end("window.ran = true");
  if (/\.(png|webp|woff2|mp4)$/.test(url)) return void response.end(picture);
  response.setHeader("content-type", "text/html");
  const pictures = Array.from({ length: 12 }, (_, at) => `<img src="/${at}.png">`).join("");
  response.end(
    `<link rel="stylesheet" href="/s.css"><script src="/a.js"></script><h1>Shop</h1>${pictures}<video src="/film.mp4" autoplay muted></video><p>${"text ".repeat(4_000)}</p>`,
  );
});

let app: TestService;
let proxy: PlainProxy;
let id: string;
before(async () => {
  shop.listen(0, "127.0.0.1");
  await once(shop, "listening");
  proxy = await startPlainProxy(() => (shop.address() as AddressInfo).port);
  app = await startTestService();
  await app.service.actors.library.changeSettings({ settings: { echoUrls: [] } });
  [id = ""] = await createProfiles(app.client, 1);
  const line = `http://127.0.0.1:${proxy.port}`;
  const patched = await app.client.call("PATCH", `/v1/profiles/${id}`, { body: { proxy: line } });
  assert.equal(patched.status, 200, JSON.stringify(patched.body));
});
after(async () => {
  await app.stop();
  shop.closeAllConnections();
  shop.close();
  proxy.close();
});

/** Bytes through the proxy for the shop's page, and what the shop was asked. */
async function visit(launch: object): Promise<{ bytes: number; asked: string[]; loaded: unknown }> {
  const started = await app.client.post(`/v1/profiles/${id}/launch`, { headless: true, ...launch });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  [proxy.brought, asked.length] = [0, 0];
  const went = await app.client.post(`/v1/profiles/${id}/navigate`, { url: "http://shop.test/" });
  assert.equal(went.status, 200, JSON.stringify(went.body));
  await app.client.post(`/v1/profiles/${id}/wait-for`, { load: "network_idle" });
  const { body } = await app.client.post(`/v1/profiles/${id}/evaluate`, {
    expression: "[window.ran, document.title, document.querySelector('h1').textContent]",
  });
  const seen = { bytes: proxy.brought, asked: [...asked], loaded: Object(body).result };
  await app.client.post(`/v1/profiles/${id}/stop`);
  return seen;
}

test("images, media and fonts blocked: at most 0.3 of the bytes, and the page works", async () => {
  const whole = await visit({ diagnostic: true });
  const lean = await visit({ diagnostic: true, block: ["image", "media", "font"] });
  assert.ok(
    whole.asked.includes("/3.png") && whole.asked.includes("/film.mp4") && whole.asked.includes("/f.woff2"),
  );
  assert.deepEqual(
    lean.asked.filter((url) => /png|mp4|woff2/.test(url)),
    [],
  );
  assert.deepEqual(lean.loaded, whole.loaded);
  assert.ok(lean.bytes > 0 && lean.bytes / whole.bytes <= 0.3, `${lean.bytes} of ${whole.bytes} bytes`);
});

test("with the profile's device too, addresses and hosts are blocked by pattern", async () => {
  const seen = await visit({ block_urls: ["*/film.*", "*://shop.test/?.png"], block: ["ads", "tracking"] });
  assert.ok(
    seen.asked.includes("/10.png") && !seen.asked.includes("/3.png") && !seen.asked.includes("/film.mp4"),
  );
  const refused = await app.client.post(`/v1/profiles/${id}/launch`, { headless: true, block: ["pictures"] });
  assert.equal(refused.status, 400);
  assert.match(Object(refused.body).error, /block\[0\] must be/);
});

test("requests to hosts of advertisements are not sent", async () => {
  const started = await app.client.post(`/v1/profiles/${id}/launch`, {
    headless: true,
    block: ["ads", "tracking"],
  });
  assert.equal(started.status, 200);
  await app.client.post(`/v1/profiles/${id}/navigate`, { url: "http://shop.test/" });
  const fetched = async (url: string) => {
    const expression = `fetch(${JSON.stringify(url)}, { mode: "no-cors" }).then(() => "sent", () => "refused")`;
    const { body } = await app.client.post(`/v1/profiles/${id}/evaluate`, { expression });
    return Object(body).result;
  };
  assert.equal(await fetched("http://ads.doubleclick.net/x.js"), "refused");
  assert.equal(await fetched("http://www.google-analytics.com/collect"), "refused");
  assert.equal(await fetched("http://notdoubleclick.net.shop.test/x"), "sent");
  await app.client.post(`/v1/profiles/${id}/stop`);
});
