/** Pages that start an endless loop while idle can still be left. */
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

test("a page in an unnoticed loop can be left, and its session storage is kept", async () => {
  await visit("/");
  const tab = await browser.tabs.current();
  await value("sessionStorage.kept = 'yes'; void setTimeout(() => { for (;;); })");
  await leaveUnasked(tab, `${site.origin}/next`);
  assert.match((await page.snapshot({})).snapshot, /^Next — /);
  assert.equal((await browser.tabs.current()).targetId, tab.targetId);
  assert.equal(await value("sessionStorage.kept"), "yes");
});

test("a loop in a window that shares its opener's process is ended through the opener, and both windows survive", async () => {
  await visit("/opener");
  const opener = await browser.tabs.current();
  await value("kept = 'yes'");
  const { node_id } = await page.waitForElement({ selector: "button", timeout_ms: 2_000 });
  assert.equal((await page.click({ node_id })).title, "Next");
  const tab = await browser.tabs.current();
  assert.notEqual(tab, opener);
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(tab, `${site.origin}/`);
  assert.match((await page.snapshot({})).snapshot, /^Start — /);
  assert.equal(await value("opener.kept"), "yes");
});

test("after the opener is closed, a loop in one of its windows is still ended through the others", async () => {
  await visit("/opener");
  const opener = await browser.tabs.current();
  const press = async () => {
    await browser.tabs.activate(opener);
    const { node_id } = await page.waitForElement({ selector: "button", timeout_ms: 2_000 });
    assert.equal((await page.click({ node_id })).title, "Next");
    return browser.tabs.current();
  };
  const one = await press();
  const two = await press();
  assert.notEqual(one, two);
  await browser.tabs.activate(one);
  await value("kept = 'yes'");
  await browser.tabs.root.send("Target.closeTarget", { targetId: opener.targetId });
  await browser.tabs.activate(two);
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(two, `${site.origin}/`);
  assert.match((await page.snapshot({})).snapshot, /^Start — /);
  await browser.tabs.activate(one);
  assert.equal(await value("kept"), "yes");
});
