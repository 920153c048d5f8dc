/** A restarted service worker of an earlier launch has the profile's values from its first line, whoever is attached. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import remoteInterface from "chrome-remote-interface";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { openRawCdp } from "../../bench/raw-cdp.ts";
import { until } from "../gateway/serve.ts";
import { windowsDevice } from "./fixture/identity-devices.ts";
import { type IdentitySite, openIdentitySite } from "./fixture/identity-site.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";

type Browser = Awaited<ReturnType<typeof openTestBrowser>>;

interface Client {
  gone: Promise<unknown>;
  next: () => Promise<unknown>;
  close(): Promise<unknown>;
}

let dir = "";
let site: IdentitySite;
before(async () => {
  dir = await makeDir();
  site = await openIdentitySite();
});
after(async () => {
  await site.close();
  await removeDir(dir);
});

const nothing = { gone: Promise.resolve(), next: async () => {}, close: async () => {} };

const clients: Record<string, (browser: Browser) => Promise<Client>> = {
  "nobody attached": async () => nothing,
  "Playwright attached": async ({ launched }) => {
    const client = await chromium.connectOverCDP(launched.cdpUrl);
    const [context] = client.contexts();
    const [worker] = context?.serviceWorkers() ?? [];
    assert.ok(context !== undefined && worker !== undefined);
    const next = new Promise((resolve) => context.once("serviceworker", resolve));
    return {
      gone: new Promise((resolve) => worker.once("close", resolve)),
      next: () => next,
      close: () => client.close(),
    };
  },
  "Puppeteer attached": async ({ launched }) => {
    const client = await puppeteer.connect({ browserURL: launched.cdpUrl, defaultViewport: null });
    const worker = await client.waitForTarget((target) => target.type() === "service_worker");
    await worker.worker();
    const gone = new Promise<void>((resolve) => {
      client.on("targetdestroyed", (target) => target === worker && resolve());
    });
    const next = () =>
      client.waitForTarget((target) => target.type() === "service_worker" && target !== worker);
    return { gone, next, close: () => client.disconnect() };
  },
  "a client of the worker alone": async ({ launched }) => {
    const { hostname, port } = new URL(launched.cdpUrl);
    const where = { host: hostname, port: Number(port) };
    const target = (await remoteInterface.List(where)).find(({ type }) => type === "service_worker");
    assert.ok(target);
    const client = await remoteInterface({ ...where, target });
    await client.Runtime.enable();
    return {
      ...nothing,
      gone: new Promise((resolve) => client.on("disconnect", resolve)),
      close: () => client.close(),
    };
  },
  "a script attached": async ({ connection }) => {
    const told = new EventEmitter();
    const client = await connection.openClient({
      message(text) {
        const { method, params } = JSON.parse(text);
        if (params?.targetInfo?.type === "service_worker") told.emit(method, params);
        if (method === "Target.detachedFromTarget") told.emit(params.sessionId);
      },
      gone: () => {},
    });
    const attached = once(told, "Target.attachedToTarget");
    client.send({
      id: 1,
      method: "Target.setAutoAttach",
      params: { autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
    });
    const [{ sessionId }] = await attached;
    const next = once(told, "Target.attachedToTarget");
    return { gone: once(told, sessionId), next: () => next, close: async () => client.close() };
  },
};

/** A browser on a page controlled by an earlier launch's worker; `first`: what that worker saw in this launch. */
async function openBelowWorker(userDir: string) {
  const installing = await openTestBrowser(userDir, windowsDevice);
  await visit(installing, "page");
  const { session } = await installing.tabs.current();
  const expression = `navigator.serviceWorker.register("/service.js?service").then(() => navigator.serviceWorker.ready)`;
  await session.send("Runtime.evaluate", { expression, awaitPromise: true });
  await site.seen(["service"]);
  await installing.close();
  const browser = await openTestBrowser(userDir, windowsDevice);
  await visit(browser, "page");
  const first = await seenByWorker();
  assert.equal(first.platform, "Win32");
  return { browser, first };
}

async function visit({ tabs }: Browser, realm: string): Promise<void> {
  site.begin();
  const { session } = await tabs.current();
  session.send("Page.navigate", { url: `${site.origin}/frame?${realm}` }).catch(() => {});
  await site.seen([realm]);
}

async function seenByWorker() {
  return (await site.seen(["service"])).get("service") ?? {};
}

for (const [who, attach] of Object.entries(clients)) {
  test(`${who}: stopped and started again at once`, async () => {
    const { browser, first } = await openBelowWorker(join(dir, who));
    try {
      const { gone, next, close } = await attach(browser);
      const raw = await openRawCdp(browser.launched.cdpUrl);
      await raw.send("ServiceWorker.enable", {});
      for (let time = 0; time < 3; time++) {
        await raw.send("ServiceWorker.stopAllWorkers", {});
        await visit(browser, "page");
        assert.deepEqual(await seenByWorker(), first);
      }
      raw.close();
      await Promise.all([gone, next()]);
      await close();
    } finally {
      await browser.close();
    }
  });

  test(`${who}: its process ended`, async () => {
    const { browser, first } = await openBelowWorker(join(dir, `${who}, ended`));
    try {
      const { gone, next, close } = await attach(browser);
      const { session } = await browser.tabs.current();
      const crashed = new Promise<unknown>((resolve) => session.on("Inspector.targetCrashed", resolve));
      session.send("Page.crash", {}).catch(() => {});
      await crashed;
      await gone;
      await until("the worker is gone", async () => {
        const { targetInfos } = await browser.connection.root.send("Target.getTargets", {});
        return targetInfos.every(({ type }) => type !== "service_worker");
      });
      await visit(browser, "page");
      assert.deepEqual(await seenByWorker(), first);
      await next();
      await close();
    } finally {
      await browser.close();
    }
  });
}
