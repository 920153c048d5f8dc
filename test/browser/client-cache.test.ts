/** A client clears the HTTP cache of a browser that has just started: at once, and the next load asks the site again. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { profileOnSite } from "./fixture/on-site.ts";

const { on } = profileOnSite();

test("the answer comes during the browser's start-up, and what was kept is gone", async (t) => {
  let asked = 0;
  const site = createServer((_request, response) => {
    asked += 1;
    response.setHeader("cache-control", "max-age=1000");
    response.setHeader("access-control-allow-origin", "*");
    response.end(String(asked));
  });
  t.after(() => site.close().closeAllConnections());
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const browser = await chromium.connectOverCDP(on.cdpUrl);
  const page = browser.contexts()[0]?.pages()[0];
  assert.ok(page);
  await page.goto(`${on.site.origin}/`);
  const get = () => page.evaluate(async (from) => (await fetch(from)).text(), url);
  assert.deepEqual([await get(), await get()], ["1", "1"]);
  const session = await page.context().newCDPSession(page);
  assert.deepEqual(await session.send("Network.clearBrowserCache"), {});
  assert.deepEqual([await get(), await get()], ["2", "2"]);
  await browser.close();
});
