/** The page guard blocks addresses while a script runs: in every tab and frame, from the first request on. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { OpenBrowser } from "../../../actors/profile/open-browser.ts";
import { openPageGuard, type PageGuard } from "../../../actors/profile/page-guard.ts";
import { scriptBrowser } from "../../../actors/profile/script-browser.ts";
import type { GuardedKind } from "../../../actors/script/relay.ts";
import { windowsDevice } from "../../browser/fixture/identity-devices.ts";
import { makeDir, openTestBrowser, removeDir } from "../../browser/fixture/profile.ts";
import { until } from "../../gateway/serve.ts";

let server: Server;
let port: number;
let asked: string[] = [];
before(async () => {
  server = createServer((request, reply) => {
    asked.push(request.url ?? "");
    const headers = { "content-type": "text/html", location: "/secret" };
    reply
      .writeHead(request.url === "/leads-on" ? 302 : 200, headers)
      .end("<!doctype html><title>Open</title>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

let dir: string;
let browser: OpenBrowser;
let refused: string[];
beforeEach(async () => {
  dir = await makeDir();
  asked = [];
  refused = [];
});
afterEach(async () => {
  await browser.close();
  await removeDir(dir);
});

const guarded = (what: GuardedKind = "documents"): Promise<PageGuard> =>
  openPageGuard({
    browser: scriptBrowser(browser),
    what,
    refusal: (url) => (new URL(url).pathname.startsWith("/secret") ? "it is secret" : null),
    onRefused: (url) => refused.push(new URL(url).pathname),
  });

async function evaluate(statement: string): Promise<void> {
  const { session } = await browser.tabs.current();
  const expression = `void setTimeout(() => { ${statement} })`;
  await session.send("Runtime.evaluate", { expression, userGesture: true });
}

const ways: Record<string, (url: string) => string> = {
  "goes there": (url) => `location.href = "${url}"`,
  "goes there by another name of this machine": (url) =>
    `location.href = "${url.replace("127.0.0.1", "localhost")}"`,
  "goes there with a user's name": (url) => `location.href = "${url.replace("//", "//somebody@")}"`,
  "is led there by another address": (url) => `location.href = "${url.replace("/secret", "/leads-on")}"`,
  "has a frame": (url) =>
    `document.body.append(Object.assign(document.createElement("iframe"), { src: "${url}" }))`,
};

/** Ways to send a request without opening the address. */
const requests: Record<string, (url: string) => string> = {
  fetches: (url) => `fetch("${url}", { mode: "no-cors" }).catch(() => {})`,
  "shows an image": (url) => `new Image().src = "${url}"`,
  "has a worker that fetches": (url) =>
    `new Worker(URL.createObjectURL(new Blob(["fetch('${url}', { mode: 'no-cors' }).catch(() => {})"])))`,
};

for (const [kind, spec] of Object.entries({ "without a device": {}, "with a device": windowsDevice }))
  describe(`a page ${kind}`, () => {
    beforeEach(async () => {
      browser = await openTestBrowser(dir, spec);
    });

    for (const [way, expression] of Object.entries(ways))
      test(`that ${way} gets nothing from a refused address`, async () => {
        const guard = await guarded();
        await evaluate(expression(`http://127.0.0.1:${port}/secret`));
        await until("a refusal", () => refused.length > 0);
        assert.deepEqual(refused, ["/secret"]);
        assert.ok(!asked.includes("/secret"));
        guard.close();
      });

    for (const [way, expression] of Object.entries(requests))
      test(`that ${way} sends nothing to a refused address while the guard checks all requests, and does afterwards`, async () => {
        const guard = await guarded("all");
        await evaluate(expression(`http://127.0.0.1:${port}/secret`));
        await until("a refusal", () => refused.length > 0);
        assert.deepEqual([refused, asked], [["/secret"], []]);
        guard.close();
        // Another address: an image of the same one joins the refused load if that has not failed in the page yet.
        await evaluate(expression(`http://127.0.0.1:${port}/secret/later`));
        await until("the request after the guard", () => asked.includes("/secret/later"));
        assert.deepEqual(refused, ["/secret"]);
      });

    test("loads allowed addresses, and all addresses once the guard is closed", async () => {
      const guard = await guarded();
      await evaluate(ways["has a frame"]?.(`http://127.0.0.1:${port}/open`) ?? "");
      await until("the open page", () => asked.includes("/open"));
      guard.close();
      await evaluate(ways["has a frame"]?.(`http://127.0.0.1:${port}/secret`) ?? "");
      await until("the page after the guard", () => asked.includes("/secret"));
      assert.deepEqual(refused, []);
    });
  });

test("a browser that pauses documents for its device's values pauses them once", async () => {
  browser = await openTestBrowser(dir, windowsDevice);
  const attached = scriptBrowser(browser);
  const openClient = async () => Promise.reject(new Error("a second pause"));
  const guard = await openPageGuard({
    browser: { ...attached, openClient },
    what: "documents",
    refusal: () => null,
    onRefused: () => {},
  });
  guard.close();
});

test("a page's speculation rules load nothing ahead", async () => {
  browser = await openTestBrowser(dir, {});
  const { session } = await browser.tabs.current();
  const origin = `http://127.0.0.1:${port}`;
  await session.send("Page.navigate", { url: `${origin}/open` });
  await until("the page", () => asked.includes("/open"));
  const expression = `(async () => {
    for (const kind of ["prefetch", "prerender"]) {
      const rules = { [kind]: [{ source: "list", urls: ["/secret-" + kind], eagerness: "immediate" }] };
      document.head.append(Object.assign(document.createElement("script"), { type: "speculationrules", textContent: JSON.stringify(rules) }));
    }
    for (let round = 0; round < 40; round += 1) await fetch("/later" + round);
    return HTMLScriptElement.supports("speculationrules");
  })()`;
  await until("the document", async () => {
    const { result } = await session.send("Runtime.evaluate", { expression: "document.title" });
    return result.value === "Open";
  });
  const { result } = await session.send("Runtime.evaluate", { expression, awaitPromise: true });
  assert.equal(result.value, true);
  assert.deepEqual(
    asked.filter((path) => path.startsWith("/secret")),
    [],
  );
});

test("a window that a page opens gets nothing from a refused address", async () => {
  browser = await openTestBrowser(dir, windowsDevice);
  const guard = await guarded();
  await evaluate(`window.open("http://127.0.0.1:${port}/secret")`);
  await until("a refusal", () => refused.length > 0);
  assert.deepEqual([refused, asked], [["/secret"], []]);
  guard.close();
});

test("with two guards, an address that either refuses is refused", async () => {
  browser = await openTestBrowser(dir, windowsDevice);
  const first = await guarded();
  const second = await guarded();
  second.close();
  second.close();
  await evaluate(ways["goes there"]?.(`http://127.0.0.1:${port}/secret`) ?? "");
  await until("a refusal", () => refused.length > 0);
  assert.deepEqual(asked, []);
  first.close();
});
