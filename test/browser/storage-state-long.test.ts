/** Playwright's storage state moves a login both ways: from a plain browser into a profile, and from a stopped profile into a plain browser. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium } from "../../gateway/machine.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

/** A site whose login is a cookie, a word in localStorage and a record in IndexedDB. */
let asked = 0;
const site = createServer(({ url: path }, response) => {
  if (path !== "/favicon.ico") asked += 1; // Playwright's page may ask for it while it closes.
  response.setHeader("content-type", "text/html");
  response.end("<title>Site</title>");
});

let app: TestService;
let browser: Browser;
let url: string;
let id: string;
before(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  app = await startTestService();
  [id = ""] = await createProfiles(app.client, 1);
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: findChromium(), args });
});
after(async () => {
  await browser.close();
  await app.stop();
  site.closeAllConnections();
  site.close();
});

const signIn = (who: string) => `(async () => {
  document.cookie = "who=${who}; max-age=86400";
  localStorage.setItem("who", "${who}");
  const opening = indexedDB.open("app", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
  await new Promise((resolve) => { opening.onsuccess = resolve; });
  const writing = opening.result.transaction("keys", "readwrite");
  writing.objectStore("keys").put({ who: "${who}" }, 1);
  await new Promise((resolve) => { writing.oncomplete = resolve; });
  opening.result.close();
})()`;

const whoami = `(async () => {
  const opening = indexedDB.open("app", 1);
  const opened = await new Promise((resolve) => { opening.onupgradeneeded = () => resolve(null); opening.onsuccess = () => resolve(opening.result); });
  if (opened === null) return [document.cookie, localStorage.getItem("who"), null];
  const reading = opened.transaction("keys").objectStore("keys").get(1);
  await new Promise((resolve) => { reading.onsuccess = resolve; });
  opened.close();
  return [document.cookie, localStorage.getItem("who"), reading.result.who];
})()`;

const path = (rest: string) => `/v1/profiles/${id}/${rest}`;
async function inProfile(expression: string): Promise<unknown> {
  assert.equal((await app.client.post(path("launch"), { headless: true })).status, 200);
  await app.client.post(path("navigate"), { url });
  const { body } = await app.client.post(path("evaluate"), { expression });
  assert.equal((await app.client.post(path("stop"))).status, 204);
  return Object(body).result;
}

async function inPlain<T>(
  storageState: Parameters<Browser["newContext"]>[0],
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(storageState);
  try {
    const page = await context.newPage();
    await page.goto(url);
    return await work(page);
  } finally {
    await context.close();
  }
}

test("a plain browser's login is there in a profile that was stopped", async () => {
  await inProfile(signIn("nobody"));
  const state = await inPlain({}, async (page) => {
    await page.evaluate(signIn("ada"));
    return page.context().storageState({ indexedDB: true });
  });
  const before = asked;
  const { status, body } = await app.client.call("PUT", path("storage-state"), { body: state });
  assert.deepEqual([status, body], [200, { taken: 1, refused: [], origins: 1 }]);
  assert.equal(asked, before, "the site was not asked");
  assert.deepEqual(await inProfile(whoami), ["who=ada", "ada", "ada"]);
});

test("a stopped profile's login is there in a plain browser", async () => {
  await inProfile(signIn("bob"));
  const before = asked;
  const { status, body } = await app.client.get(path("storage-state"));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(asked, before, "the site was not asked");
  const storageState = body as Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>;
  assert.deepEqual(await inPlain({ storageState }, (page) => page.evaluate(whoami)), [
    "who=bob",
    "bob",
    "bob",
  ]);
  assert.equal(Object((await app.client.get("/v1/capacity")).body).active, 0);
});

test("a page that keeps its database open does not hold up a restore", { timeout: 90_000 }, async () => {
  const keepOpen = signIn("eve").replace("opening.result.close()", "self.kept = opening.result");
  assert.equal((await app.client.post(path("launch"), { headless: true })).status, 200);
  await app.client.post(path("navigate"), { url });
  await app.client.post(path("evaluate"), { expression: keepOpen });
  const state = await inPlain({}, async (page) => {
    await page.evaluate(signIn("bob"));
    return page.context().storageState({ indexedDB: true });
  });
  const { status, body } = await app.client.call("PUT", path("storage-state"), { body: state });
  assert.deepEqual([status, body], [200, { taken: 1, refused: [], origins: 1 }]);
  assert.equal((await app.client.post(path("stop"))).status, 204);
  assert.deepEqual(await inProfile(whoami), ["who=bob", "bob", "bob"]);
});

test("an empty state empties the profile, and a damaged one is refused by its field", async () => {
  const put = (body: object) => app.client.call("PUT", path("storage-state"), { body });
  const damaged = await put({ cookies: [], origins: [{ origin: "no address", localStorage: [] }] });
  assert.equal(damaged.status, 400);
  assert.match(Object(damaged.body).error, /origins/);
  const record = { key: 1, value: "x" };
  const stores = [{ name: "s", autoIncrement: false, indexes: [{ name: 5 }], records: [record] }];
  const broken = { origin: url, localStorage: [], indexedDB: [{ name: "d", version: "one", stores }] };
  assert.equal((await put({ cookies: [], origins: [broken] })).status, 400);
  assert.equal((await put({ cookies: [], origins: [], more: 1 })).status, 400);
  assert.equal((await put({ cookies: [{ name: "a" }], origins: [] })).status, 400);
  assert.equal((await put({ cookies: [] })).status, 400);
  assert.deepEqual(await inProfile(whoami), ["who=bob", "bob", "bob"]);
  assert.equal((await put({ cookies: [], origins: [] })).status, 200);
  assert.deepEqual(await inProfile(whoami), ["", null, null]);
});
