/** When a stop is answered, everything that pages wrote is on disk, even if the browser's storage process is slow. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import puppeteer from "puppeteer-core";
import type { CdpSession } from "../../actors/profile/cdp/session.ts";
import { keepStorage } from "../../actors/profile/chromium/keep-storage.ts";
import type { OpenBrowser } from "../../actors/profile/open-browser.ts";
import { until } from "../gateway/serve.ts";
import { windowsDevice } from "./fixture/identity-devices.ts";
import { nobodyNames } from "./fixture/processes.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";
import { openSite, type Site } from "./fixture/site.ts";

let dir: string;
let site: Site;
/** The browser's own flush comes up to 30 s after a write; the other tests run meanwhile. */
let flushing: { dir: string; browser: OpenBrowser };
before(async () => {
  site = await openSite();
  const own = await makeDir();
  flushing = { dir: own, browser: await openTestBrowser(own) };
  const page = await visit(flushing.browser, "/cookie");
  await evaluate(page, "localStorage.setItem('kept', 'before the kill')");
});
after(async () => {
  await flushing.browser.discard();
  await nobodyNames(flushing.dir);
  await removeDir(flushing.dir);
  await site.close();
});
beforeEach(async () => {
  dir = await makeDir();
});
afterEach(async () => {
  await nobodyNames(dir);
  await removeDir(dir);
});

async function visit(browser: OpenBrowser, path: string): Promise<CdpSession> {
  const { session } = await browser.tabs.current();
  await session.send("Page.navigate", { url: site.origin + path });
  return session;
}

async function evaluate(session: CdpSession, expression: string): Promise<unknown> {
  const { result } = await session.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value;
}

async function processesOf(browser: OpenBrowser, kind: string): Promise<number[]> {
  const { processInfo } = await browser.connection.root.send("SystemInfo.getProcessInfo", {});
  return processInfo.filter(({ type }) => type === kind).map(({ id }) => id);
}

/** Ends the browser while its storage process is stopped, until the pages are closed and the browser flushes, or has exited. */
async function endWithLateStorage(browser: OpenBrowser, end: () => Promise<void>): Promise<void> {
  const [storage = 0] = await processesOf(browser, "storage.mojom.StorageService");
  process.kill(storage, "SIGSTOP");
  const ending = Promise.race([end(), browser.process.ended]);
  await Promise.race([browser.process.ended, onlyAskerLeft(browser).catch(() => browser.process.ended)]);
  process.kill(storage, "SIGCONT");
  await ending;
  await browser.process.ended;
  await browser.discard();
}

async function onlyAskerLeft({ connection }: OpenBrowser): Promise<void> {
  await until("only the internal page is left", async () => {
    const { targetInfos } = await connection.root.send("Target.getTargets", {});
    return targetInfos.length > 0 && targetInfos.every(({ type }) => type !== "page");
  });
}

async function found(expression: string, place = dir): Promise<unknown> {
  const browser = await openTestBrowser(place);
  try {
    return await evaluate(await visit(browser, "/"), expression);
  } finally {
    await browser.close();
  }
}

test("a stop waits for a slow storage process", async () => {
  const browser = await openTestBrowser(dir);
  const page = await visit(browser, "/cookie");
  await evaluate(page, "localStorage.setItem('kept', 'yes')");
  await endWithLateStorage(browser, () => browser.close());
  assert.deepEqual(await found("[document.cookie, localStorage.getItem('kept')]"), ["visit=once", "yes"]);
});

test("the target that flushes the storage has no renderer", async () => {
  const browser = await openTestBrowser(dir);
  await evaluate(await visit(browser, "/"), "localStorage.setItem('kept', 'yes')");
  await keepStorage(browser.connection, browser.process.workMs);
  assert.deepEqual(await processesOf(browser, "renderer"), []);
  await browser.close();
});

test("a page that is navigating is closed without delaying the stop", async () => {
  const browser = await openTestBrowser(dir);
  await visit(browser, "/");
  await keepStorage(browser.connection, browser.process.workMs);
  const { targetInfos } = await browser.connection.root.send("Target.getTargets", {});
  assert.deepEqual(
    targetInfos.filter(({ type }) => type === "page"),
    [],
  );
  await browser.close();
});

test("data that a page writes while it closes is kept", async () => {
  const browser = await openTestBrowser(dir);
  const page = await visit(browser, "/");
  await evaluate(page, "addEventListener('pagehide', () => localStorage.setItem('left', 'in order'))");
  await browser.close();
  assert.equal(await found("localStorage.getItem('left')"), "in order");
});

test("data that a page writes while it closes is kept when its renderer gets no processor time for a second", async () => {
  const browser = await openTestBrowser(dir);
  const page = await visit(browser, "/");
  await evaluate(page, "addEventListener('pagehide', () => localStorage.setItem('left', 'late'))");
  const renderers = await processesOf(browser, "renderer");
  for (const pid of renderers) process.kill(pid, "SIGSTOP");
  const stoppedAt = performance.now();
  const closing = browser.close();
  await until("an endless script would have been ended", () => performance.now() - stoppedAt > 1_300);
  for (const pid of renderers) process.kill(pid, "SIGCONT");
  await closing;
  assert.equal(await found("localStorage.getItem('left')"), "late");
});

test("a worker that outlives its page does not prevent the write", async () => {
  const browser = await openTestBrowser(dir);
  const page = await visit(browser, "/");
  const register = "navigator.serviceWorker.register('/worker').then(() => navigator.serviceWorker.ready)";
  await evaluate(page, `${register}.then(() => localStorage.setItem('kept', 'beside a worker'))`);
  await browser.close();
  assert.equal(await found("localStorage.getItem('kept')"), "beside a worker");
});

test("a page in an endless loop loses no stored data", async () => {
  const browser = await openTestBrowser(dir);
  const page = await visit(browser, "/");
  await evaluate(page, "localStorage.setItem('kept', 'before the loop')");
  page.send("Runtime.evaluate", { expression: "for (;;);" }, Number.POSITIVE_INFINITY).catch(() => {});
  await browser.close();
  assert.equal(await found("localStorage.getItem('kept')"), "before the loop");
});

test("a page in an endless loop is ended before the stop's timeout", async () => {
  const browser = await openTestBrowser(dir);
  const page = await visit(browser, "/");
  page.send("Runtime.evaluate", { expression: "for (;;);" }, Number.POSITIVE_INFINITY).catch(() => {});
  await keepStorage(browser.connection, browser.process.workMs);
  assert.deepEqual(await processesOf(browser, "renderer"), []);
  await browser.close();
});

test("a client that closes the browser loses no stored data", async () => {
  const browser = await openTestBrowser(dir, windowsDevice);
  const client = await puppeteer.connect({ browserURL: browser.launched.cdpUrl });
  const [page] = await client.pages();
  assert.ok(page);
  await page.goto(`${site.origin}/cookie`);
  await page.evaluate("localStorage.setItem('kept', 'by a client')");
  await endWithLateStorage(browser, () => client.close());
  assert.deepEqual(await found("[document.cookie, localStorage.getItem('kept')]"), [
    "visit=once",
    "by a client",
  ]);
});

test("a killed browser keeps the data of its own flush, which comes within 30 s", async () => {
  const { browser } = flushing;
  const flushed = async () => {
    const cookies = await holds("Cookies", "127.0.0.1visit");
    return cookies && (await holds("Local Storage", "before the kill"));
  };
  await until("the browser's own flush", flushed, 250);
  process.kill(browser.process.pid, "SIGKILL");
  await browser.process.ended;
  await browser.discard();
  assert.deepEqual(await found("[document.cookie, localStorage.getItem('kept')]", flushing.dir), [
    "visit=once",
    "before the kill",
  ]);
});

async function holds(part: string, text: string): Promise<boolean> {
  const entries = await readdir(flushing.dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((file) => file.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).filter((path) => path.includes(part));
  const contents = await Promise.all(paths.map((path) => readFile(path).catch(() => Buffer.alloc(0))));
  return contents.some((content) => content.includes(text));
}
