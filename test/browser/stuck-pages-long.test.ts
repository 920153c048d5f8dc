/** Pages that start an endless loop while idle can still be left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { navigate } from "../../actors/profile/page/navigate.ts";
import type { Tab } from "../../actors/profile/page/tab.ts";
import { browserOnSite } from "./fixture/on-site.ts";

const { on, visit, value } = browserOnSite();

/** Leaves the page without asking whether it responds. */
const leaveUnasked = (tab: Tab, url: string) =>
  navigate(on.browser.tabs, tab, url, { aliveMs: Number.POSITIVE_INFINITY });

test("a page in an unnoticed loop can be left, and its session storage is kept", async () => {
  await visit("/");
  const tab = await on.browser.tabs.current();
  await value("sessionStorage.kept = 'yes'; void setTimeout(() => { for (;;); })");
  await leaveUnasked(tab, `${on.site.origin}/next`);
  assert.match((await on.page.snapshot({})).snapshot, /^Next — /);
  assert.equal((await on.browser.tabs.current()).targetId, tab.targetId);
  assert.equal(await value("sessionStorage.kept"), "yes");
});

test("a loop in a window that shares its opener's process is ended through the opener, and both windows survive", async () => {
  await visit("/opener");
  const opener = await on.browser.tabs.current();
  await value("kept = 'yes'");
  const { node_id } = await on.page.waitForElement({ selector: "button", timeout_ms: 2_000 });
  assert.equal((await on.page.click({ node_id })).title, "Next");
  const tab = await on.browser.tabs.current();
  assert.notEqual(tab, opener);
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(tab, `${on.site.origin}/`);
  assert.match((await on.page.snapshot({})).snapshot, /^Start — /);
  assert.equal(await value("opener.kept"), "yes");
});

test("after the opener is closed, a loop in one of its windows is still ended through the others", async () => {
  await visit("/opener");
  const opener = await on.browser.tabs.current();
  const press = async () => {
    await on.browser.tabs.activate(opener);
    const { node_id } = await on.page.waitForElement({ selector: "button", timeout_ms: 2_000 });
    assert.equal((await on.page.click({ node_id })).title, "Next");
    return on.browser.tabs.current();
  };
  const one = await press();
  const two = await press();
  assert.notEqual(one, two);
  await on.browser.tabs.activate(one);
  await value("kept = 'yes'");
  await on.browser.tabs.root.send("Target.closeTarget", { targetId: opener.targetId });
  await on.browser.tabs.activate(two);
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(two, `${on.site.origin}/`);
  assert.match((await on.page.snapshot({})).snapshot, /^Start — /);
  await on.browser.tabs.activate(one);
  assert.equal(await value("kept"), "yes");
});
