/** Verbs and other clients share a browser: each keeps to its own tabs, and a tab that goes harms nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "puppeteer-core";
import { conflict } from "../conflict.ts";
import { profileOnSite } from "./fixture/on-site.ts";

const { on, visit, find, click, value } = profileOnSite();

async function tabsNow(): Promise<string[]> {
  const list = (await (await fetch(`${on.cdpUrl}/json/list`)).json()) as { id: string; type: string }[];
  return list.filter(({ type }) => type === "page").map(({ id }) => id);
}

const withPuppeteer = async <T>(work: (browser: Awaited<ReturnType<typeof connect>>) => Promise<T>) => {
  const browser = await connect({ browserURL: on.cdpUrl, defaultViewport: null });
  try {
    return await work(browser);
  } finally {
    await browser.disconnect();
  }
};

test("a tab that a client opens or activates is not the current one", async () => {
  await visit("/next");
  await withPuppeteer(async (browser) => {
    const page = await browser.newPage();
    await page.goto(`${on.site.origin}/opener`);
    await page.bringToFront();
    assert.equal(await value("document.title"), "Next");
    await page.bringToFront();
    assert.match((await on.profile.page.snapshot({})).snapshot, /^Next — /);
    await page.close();
  });
});

test("dialogs of a client's tab are the client's", async () => {
  await visit("/next");
  await withPuppeteer(async (browser) => {
    const page = await browser.newPage();
    const shown = new Promise<string>((resolve) => {
      page.on("dialog", async (dialog) => {
        assert.equal((await on.profile.page.snapshot({})).dialogs, undefined);
        await dialog.accept("from the client");
        resolve(dialog.message());
      });
    });
    assert.equal(await page.evaluate("prompt('Client?')"), "from the client");
    assert.equal(await shown, "Client?");
    await page.close();
  });
});

test("a window of another program's scheme and picture in picture are not the tab", async () => {
  await visit("/odd-windows");
  assert.equal((await click("#scheme")).title, "Odd windows");
  assert.equal(await value("location.pathname"), "/odd-windows");
  await value("odd.close()");
  await click("#picture");
  assert.equal(await value("document.visibilityState"), "visible");
  assert.ok(await value("documentPictureInPicture.window !== null"));
  assert.match(String(await value("document.title")), /Shown|Odd windows/);
  await value("documentPictureInPicture.window?.close()");
});

test("after a popup has closed itself, the next verb is on its opener", async () => {
  await visit("/odd-windows");
  for (let round = 0; round < 5; round++) {
    assert.equal((await click("#popup")).title, "Closes");
    await click("#soon");
    // The popup may be closing still; what it answers then is its own.
    for (let asked = 0; (await on.profile.page.snapshot({})).title === "Closes"; asked++)
      assert.ok(asked < 1_000);
    assert.equal(await value("location.pathname"), "/odd-windows");
  }
  assert.equal((await click("#popup")).title, "Closes");
  assert.equal(
    (await on.profile.page.type({ node_id: await find("#last"), text: "done\n" })).title,
    "Odd windows",
  );
});

test("a tab that a client closes is a conflict for the verb at it, and the next verb is on a living tab", async () => {
  await visit("/odd-windows");
  const before = await tabsNow();
  await click("#popup");
  const begun = new Promise<void>((resolve) => {
    on.site.onRequest = (path) => path === "/begun" && resolve();
  });
  const endless = value("fetch('/begun'), new Promise(() => {})");
  const closed = assert.rejects(endless, conflict(/tab was closed during evaluate/));
  await begun;
  const popup = (await tabsNow()).find((id) => !before.includes(id));
  await withPuppeteer(async (browser) => {
    const session = await browser.target().createCDPSession();
    await session.send("Target.closeTarget", { targetId: String(popup) });
  });
  await closed;
  assert.equal(await value("location.pathname"), "/odd-windows");
});

test("when a client has closed every tab, navigate opens one", async () => {
  await visit("/next");
  await withPuppeteer(async (browser) => {
    for (const page of await browser.pages()) await page.close();
    assert.equal((await visit("/opener")).title, "Opener");
    for (const page of await browser.pages()) await page.close();
    const refused = (error: unknown) => assert.match(String(error), /navigate opens one|tab was closed/);
    await value("1").then(() => assert.fail("no tab can answer"), refused);
    assert.equal((await visit("/opener")).title, "Opener");
  });
  assert.equal((await click("a")).title, "Next");
});
