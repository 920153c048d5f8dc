/** Among busy processes, the looping one is found, which takes the browser ten seconds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { navigate } from "../../actors/profile/page/navigate.ts";
import type { Tab } from "../../actors/profile/page/tab.ts";
import { browserOnSite } from "./fixture/on-site.ts";

const { on, visit, value } = browserOnSite();

/** Leaves the page without asking whether it responds. */
const leaveUnasked = (tab: Tab, url: string) =>
  navigate(on.browser.tabs, tab, url, { aliveMs: Number.POSITIVE_INFINITY });

test("the looping tab is ended, and a service worker that is busy for seconds at a time keeps running", async () => {
  await on.page.navigate({ url: `${on.site.otherOrigin}/next` });
  await value(`navigator.serviceWorker.register("/busy-worker")
    .then(() => navigator.serviceWorker.ready).then(({ active }) => active.postMessage("work"))`);
  await visit("/next");
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(await on.browser.tabs.current(), `${on.site.origin}/`);
  await on.page.navigate({ url: `${on.site.otherOrigin}/next` });
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
  const other = await on.browser.tabs.current();
  const busy = "for (const end = Date.now() + 6_000; Date.now() < end; ); rounds += 1; setTimeout(busy)";
  await value(`rounds = 0; busy = () => { ${busy}; }; void setTimeout(busy)`);
  const attached = new Promise((resolve) => on.browser.tabs.root.on("Target.attachedToTarget", resolve));
  const { targetId } = await on.browser.tabs.root.send("Target.createTarget", { url: on.site.otherOrigin });
  await attached;
  const opened = on.browser.tabs.byTarget(targetId);
  assert.ok(opened);
  await on.browser.tabs.activate(opened);
  const tab = await on.browser.tabs.current();
  assert.notEqual(tab, other);
  await tab.ready;
  await value("void setTimeout(() => { for (;;); })");
  await leaveUnasked(tab, `${on.site.otherOrigin}/next`);
  assert.match((await on.page.snapshot({})).snapshot, /^Next — /);
  await on.browser.tabs.root.send("Target.closeTarget", { targetId: tab.targetId });
  const was = Number(await value("rounds"));
  // Each of these is answered between two rounds.
  for (let asked = 0; asked < 3 && Number(await value("rounds")) === was; asked += 1);
  assert.ok(Number(await value("rounds")) > was);
});
