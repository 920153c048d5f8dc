/** Tabs by their ids: listed, opened, activated, closed, and driven without becoming the current one. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { connect } from "puppeteer-core";
import { conflict } from "../conflict.ts";
import { profileOnSite } from "./fixture/on-site.ts";

const { on, visit, find, click, value } = profileOnSite();

const list = () => on.profile.page.listTabs({});
const open = async (path: string) => on.profile.page.openTab({ url: `${on.site.origin}${path}` });
const titles = async () => (await list()).map(({ title }) => title);
const currentId = async () => (await list()).find(({ current }) => current)?.tab_id ?? "";
const missing = { kind: "not-found", message: /has no open tab nobody; list the tabs/ };

afterEach(async () => {
  const [first, ...others] = await list();
  for (const { tab_id: tabId } of others) await on.profile.page.closeTab({ tabId });
  assert.equal(first?.current, true);
});

test("an opened tab is the current one and shows its page; the list says who opened which", async () => {
  await visit("/opener");
  const opener = await currentId();
  const own = await open("/next");
  assert.deepEqual([own.title, own.current, own.opener_tab_id], ["Next", true, undefined]);
  assert.equal(await value("document.title"), "Next");
  await on.profile.page.activateTab({ tabId: opener });
  assert.equal(await value("document.title"), "Opener");
  await click("a");
  const [popup, ...others] = await list();
  assert.deepEqual([popup?.title, popup?.current, popup?.opener_tab_id], ["Next", true, opener]);
  assert.ok(others.every(({ current }) => !current));
});

test("a tab without an address is blank, and one whose load fails is closed, as nobody knows its id", async () => {
  const before = (await list()).length;
  assert.equal((await on.profile.page.openTab({})).url, "about:blank");
  await assert.rejects(on.profile.page.openTab({ url: "http://127.0.0.1:1/" }), conflict(/net::ERR_/));
  await assert.rejects(on.profile.page.openTab({ url: "ftp://127.0.0.1/" }), { kind: "invalid" });
  assert.equal((await list()).length, before + 1);
});

test("a verb with a tab_id works in that tab, and the current one stays the current one", async () => {
  await visit("/opener");
  const first = await currentId();
  const second = (await open("/next")).tab_id;
  await on.profile.page.activateTab({ tabId: first });

  const there = { tab_id: second };
  assert.equal((await on.profile.page.evaluate({ expression: "document.title", ...there })).result, "Next");
  assert.equal((await on.profile.page.snapshot(there)).title, "Next");
  assert.equal(
    (await on.profile.page.navigate({ url: `${on.site.origin}/dialogs`, ...there })).title,
    "Dialogs",
  );
  const { node_id } = await on.profile.page.waitForElement({ selector: "#ask", ...there });
  const reply = await on.profile.page.click({ node_id, ...there });
  assert.equal(reply.title, "answer false", "the page got the click, and the reply is of its tab");

  assert.equal(await currentId(), first);
  assert.equal(await value("document.title + document.visibilityState"), "Openervisible");
});

test("an element of another tab than the named one, and an unknown tab, are refused by name", async () => {
  await visit("/opener");
  const node_id = await find("a");
  const second = (await open("/next")).tab_id;
  const wrong = on.profile.page.hover({ node_id, tab_id: second });
  await assert.rejects(wrong, conflict(/element \d+ is in the tab \w+, not in \w+/));
  await assert.rejects(on.profile.page.snapshot({ tab_id: "nobody" }), missing);
  await assert.rejects(on.profile.page.activateTab({ tabId: "nobody" }), missing);
  await assert.rejects(on.profile.page.closeTab({ tabId: "nobody" }), missing);
});

test("when the current tab closes, its opener is the current one, else the one used last", async () => {
  await visit("/opener");
  const opener = await currentId();
  const other = (await open("/next")).tab_id;
  await on.profile.page.activateTab({ tabId: opener });
  await click("a");
  await on.profile.page.closeTab({ tabId: await currentId() });
  assert.equal(await currentId(), opener);
  await on.profile.page.closeTab({ tabId: opener });
  assert.equal(await currentId(), other);
  assert.deepEqual(await titles(), ["Next"]);
});

test("a client's tab is listed and driven by its id; a tab of a context of the client's own is neither", async () => {
  await visit("/next");
  const current = await currentId();
  const browser = await connect({ browserURL: on.cdpUrl, defaultViewport: null });
  try {
    const page = await browser.newPage();
    await page.goto(`${on.site.origin}/opener`);
    const own = await (await browser.createBrowserContext()).newPage();
    await own.goto(`${on.site.origin}/dialogs`);
    assert.deepEqual((await titles()).sort(), ["Next", "Opener"]);
    const theirs = (await list()).find(({ title }) => title === "Opener");
    assert.equal(theirs?.current, false);
    const tab = { tab_id: theirs?.tab_id ?? "" };
    assert.equal((await on.profile.page.evaluate({ expression: "document.title", ...tab })).result, "Opener");
    assert.equal(await currentId(), current);
    await own.browserContext().close();
  } finally {
    await browser.disconnect();
  }
});
