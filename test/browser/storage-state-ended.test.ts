/** A browser that ends while a profile's storage state is read or written: the call ends too. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { readOrigins, writeOrigins } from "../../actors/tasks/storage-state.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

let app: TestService;
let cdpUrl: string;
let userDataDir: string;
before(async () => {
  app = await startTestService();
  userDataDir = await mkdtemp(join(tmpdir(), "state-"));
  const [id = ""] = await createProfiles(app.client, 1);
  const { body } = await app.client.post(`/v1/profiles/${id}/launch`, { headless: true });
  ({ cdpUrl } = Object(body));
});
after(async () => {
  await app.stop();
  await rm(userDataDir, { recursive: true });
});

/** An address of the browser that hangs up behind its answer to the first call of the method. */
async function cutAfter(method: string) {
  const version = await fetch(`${cdpUrl}/json/version`);
  const { webSocketDebuggerUrl } = Object(await version.json());
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  server.on("connection", (client) => {
    const browser = new WebSocket(webSocketDebuggerUrl);
    const opened = once(browser, "open");
    let last = Number.NaN;
    client.on("message", async (data) => {
      const message = JSON.parse(String(data));
      if (message.method === method) last = message.id;
      await opened;
      browser.send(String(data));
    });
    client.on("close", () => browser.terminate());
    browser.on("message", (data) => {
      client.send(String(data));
      if (JSON.parse(String(data)).id === last) client.close();
    });
  });
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/`, close: () => server.close() };
}

const methods = [
  "Target.setAutoAttach",
  "Target.createTarget",
  "Network.setBypassServiceWorker",
  "Page.navigate",
];
for (const method of methods)
  test(`a browser that ends behind ${method} is a conflict that says so`, async () => {
    const address = await cutAfter(method);
    const opened = { cdpUrl: address.url, userDataDir, origins: ["https://a.test"] };
    const conflict = { kind: "conflict", message: "the profile's browser was closed meanwhile; try again" };
    await assert.rejects(readOrigins(opened), conflict);
    const state = [{ origin: "https://a.test", localStorage: [] }];
    await assert.rejects(writeOrigins({ ...opened, state }), conflict);
    address.close();
  });
