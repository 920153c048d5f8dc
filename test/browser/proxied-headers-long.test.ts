/** Behind a proxy a page gets and sends headers as large as Chromium itself allows. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { type PlainProxy, startPlainProxy } from "./fixture/plain-proxy.ts";

const large = 20_000;
/** Sets a large header, and says how many bytes of cookies came. */
const site = createServer({ maxHeaderSize: 1_000_000 }, (request, response) => {
  response.setHeader("content-type", "text/html");
  response.setHeader("x-large", "x".repeat(large));
  response.end(`<title>${request.headers.cookie?.length ?? 0}</title>`);
});

let app: TestService;
let proxy: PlainProxy;
let path: string;
before(async () => {
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  proxy = await startPlainProxy(() => (site.address() as AddressInfo).port);
  app = await startTestService();
  await app.service.actors.library.changeSettings({ settings: { echoUrls: [] } });
  const [id = ""] = await createProfiles(app.client, 1);
  path = `/v1/profiles/${id}`;
  await app.client.call("PATCH", path, { body: { proxy: `http://127.0.0.1:${proxy.port}` } });
  assert.equal((await app.client.post(`${path}/launch`, { headless: true })).status, 200);
});
after(async () => {
  await app.stop();
  site.closeAllConnections();
  site.close();
  proxy.close();
});

test("a reply with a header of 20 KB and a request with 28 KB of cookies pass the bridge", async () => {
  const went = await app.client.post(`${path}/navigate`, { url: "http://shop.test/" });
  assert.equal(went.status, 200, JSON.stringify(went.body));
  const value = "c".repeat(4_000);
  const cookies = Array.from({ length: 7 }, (_, at) => ({
    name: `c${at}`,
    value,
    domain: "shop.test",
    path: "/",
  }));
  assert.equal(Object((await app.client.post(`${path}/cookies`, { cookies })).body).taken, 7);
  const again = await app.client.post(`${path}/navigate`, { url: "http://shop.test/again" });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.ok(Number(Object(again.body).title) > 28_000, JSON.stringify(again.body));
  const expression = "fetch('/').then((reply) => reply.headers.get('x-large').length)";
  const { body } = await app.client.post(`${path}/evaluate`, { expression });
  assert.equal(Object(body).result, large);
});
