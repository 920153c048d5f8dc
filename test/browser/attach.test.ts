/** Other clients on cdpUrl attach, drive the existing page and detach, and the profile keeps running. */
import assert from "node:assert/strict";
import { test } from "node:test";
import remoteInterface from "chrome-remote-interface";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";
import { profileOnSite } from "./fixture/on-site.ts";

const { on, value } = profileOnSite();

test("Playwright drives the existing page and detaches; the profile keeps running", async () => {
  await on.profile.page.navigate({ url: `${on.site.origin}/` });
  const size = await value("[innerWidth, innerHeight]");
  for (let round = 0; round < 2; round++) {
    const browser = await chromium.connectOverCDP(on.cdpUrl);
    const page = browser.contexts()[0]?.pages()[0];
    assert.ok(page);
    await page.goto(`${on.site.origin}/next`);
    assert.equal(await value("document.title"), "Next");
    await page.goto(`${on.site.origin}/`);
    await page.locator("#go").click();
    assert.equal(await page.locator("#said").textContent(), "clicked true");
    await browser.close();
    assert.equal(await value("document.title"), "Start");
  }
  assert.deepEqual(await value("[innerWidth, innerHeight]"), size);
});

test("Puppeteer drives the existing page and detaches; the profile keeps running", async () => {
  await on.profile.page.navigate({ url: `${on.site.origin}/` });
  const size = await value("[innerWidth, innerHeight]");
  const browser = await puppeteer.connect({ browserURL: on.cdpUrl, defaultViewport: null });
  const [page] = await browser.pages();
  assert.ok(page);
  await page.click("#go");
  assert.equal(await page.$eval("#said", (element) => element.textContent), "clicked true");
  await page.goto(`${on.site.origin}/next`);
  await browser.disconnect();
  assert.equal(await value("document.title"), "Next");
  assert.deepEqual(await value("[innerWidth, innerHeight]"), size);
});

test("chrome-remote-interface opens its own page, closes it and detaches, twice", async () => {
  await on.profile.page.navigate({ url: `${on.site.origin}/` });
  const { hostname, port } = new URL(on.cdpUrl);
  const where = { host: hostname, port: Number(port) };
  for (let round = 0; round < 2; round++) {
    const target = await remoteInterface.New({ ...where, url: `${on.site.origin}/next` });
    const client = await remoteInterface({ ...where, target });
    const { result } = await client.Runtime.evaluate({ expression: "1 + 1" });
    assert.equal(result.value, 2);
    await client.close();
    await remoteInterface.Close({ ...where, id: target.id });
    assert.equal(await value("document.title"), "Start");
  }
});

test("two clients and the verbs do not disturb each other", async () => {
  await on.profile.page.navigate({ url: `${on.site.origin}/` });
  const [one, two] = await Promise.all([
    chromium.connectOverCDP(on.cdpUrl),
    puppeteer.connect({ browserURL: on.cdpUrl, defaultViewport: null }),
  ]);
  const opened = await one.contexts()[0]?.newPage();
  assert.ok(opened);
  await opened.goto(`${on.site.origin}/next`);
  assert.equal(await value("document.title"), "Start");
  assert.equal((await two.pages()).length, 2);
  await opened.close();
  assert.equal(await value("document.title"), "Start");
  await Promise.all([one.close(), two.disconnect()]);
  assert.equal(await value("1 + 1"), 2);
});

test("a client answers a dialog that appears outside a verb", async () => {
  await on.profile.page.navigate({ url: `${on.site.origin}/` });
  const browser = await chromium.connectOverCDP(on.cdpUrl);
  const page = browser.contexts()[0]?.pages()[0];
  assert.ok(page);
  page.once("dialog", (dialog) => void dialog.accept("by the client"));
  assert.equal(await page.evaluate("prompt('who?')"), "by the client");
  await browser.close();
});
