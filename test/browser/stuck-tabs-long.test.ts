/** Among busy processes, the looping one is found, which takes the browser ten seconds. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { OpenBrowser } from "../../actors/profile/open-browser.ts";
import { navigate } from "../../actors/profile/page/navigate.ts";
import type { Tab } from "../../actors/profile/page/tabs.ts";
import { createPageVerbs } from "../../actors/profile/page/verbs.ts";
import type { VerbApi } from "../../protocol/generated/verb-table.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";
import { openSite, type Site } from "./fixture/site.ts";

let dir: string;
let site: Site;
let browser: OpenBrowser;
let page: VerbApi;

before(async () => {
  dir = await makeDir();
  site = await openSite();
  browser = await openTestBrowser(dir);
  page = createPageVerbs(browser.tabs, (work) => work(), join(dir, "uploads"));
});
after(async () => {
  await browser.close();
  await site.close();
  await removeDir(dir);
});

const visit = (path: string) => page.navigate({ url: site.origin + path });
const value = async (expression: string) => (await page.evaluate({ expression })).result;
/** Leaves the page without asking whether it responds. */
const leaveUnasked = (tab: Tab, url: string) =>
  navigate(browser.tabs, tab, url, { aliveMs: Number.POSITIVE_INFINITY });

test("the looping tab is ended, and a service worker that is busy for seconds at a time keeps running", async () => {
  await page.navigate({ url: `${site.otherOrigin}/next` });
  await value(`navigator.serviceWorker.register("/busy-worker")
    .then(() => navigator.serviceWorker.ready).then(({ active }) => active.postMessage("work"))`);
  await visit("/next");
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(await browser.tabs.current(), `${site.origin}/`);
  await page.navigate({ url: `${site.otherOrigin}/next` });
  const rounds = await value(`new Promise((resolve) => {
    navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
    navigator.serviceWorker.ready.then(({ active }) => active.postMessage("rounds"));
  })`);
  assert.ok(Number(rounds) >= 3, `the worker did ${rounds} rounds`); // After a restart it would count from zero.
  const unregister = "navigator.serviceWorker.ready.then((registration) => registration.unregister())";
  assert.equal(await value(unregister), true);
});

test("the looping tab is ended, and a tab that is busy for seconds at a time keeps running", async () => {
  await visit("/next");
  const other = await browser.tabs.current();
  const busy = "for (const end = Date.now() + 6_000; Date.now() < end; ); rounds += 1; setTimeout(busy)";
  await value(`rounds = 0; busy = () => { ${busy}; }; void setTimeout(busy)`);
  const attached = new Promise((resolve) => browser.tabs.root.on("Target.attachedToTarget", resolve));
  const { targetId } = await browser.tabs.root.send("Target.createTarget", { url: site.otherOrigin });
  await attached;
  const opened = browser.tabs.byTarget(targetId);
  assert.ok(opened);
  await browser.tabs.activate(opened);
  const tab = await browser.tabs.current();
  assert.notEqual(tab, other);
  await tab.ready;
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(tab, `${site.otherOrigin}/next`);
  assert.match((await page.snapshot({})).snapshot, /^Next — /);
  await browser.tabs.root.send("Target.closeTarget", { targetId: tab.targetId });
  const was = Number(await value("rounds"));
  // Each of these is answered between two rounds.
  for (let asked = 0; asked < 3 && Number(await value("rounds")) === was; asked += 1);
  assert.ok(Number(await value("rounds")) > was);
});
