/** In a minimized window, which draws no frames, every verb works without delay. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { OpenBrowser } from "../../actors/profile/open-browser.ts";
import { createPageVerbs } from "../../actors/profile/page/verbs.ts";
import { Fault } from "../../protocol/faults.ts";
import type { VerbApi } from "../../protocol/generated/verb-table.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";

const paragraphs = "<p>text</p>".repeat(200);
const page = `data:text/html,<title>Unseen</title><main><h1>Heading</h1>
<button onclick="this.textContent = 'done'">Go</button><input aria-label="Name">
<div id="box" tabindex="0" style="height:400px;overflow:auto">${paragraphs}</div>${paragraphs}</main>`;

/** Far below the browser's deadline for a command, and far above the usual time. */
const promptMs = 5_000;

let dir: string;
let browser: OpenBrowser;
let verbs: VerbApi;
before(async () => {
  dir = await makeDir();
  browser = await openTestBrowser(dir);
  verbs = createPageVerbs(browser.tabs, (work) => work(), dir);
});
after(async () => {
  await browser.close();
  await removeDir(dir);
});
beforeEach(async () => {
  await show("normal");
  await verbs.navigate({ url: page });
  await show("minimized");
  assert.equal(
    await value(
      "new Promise((done) => { const look = () => document.hidden ? done(1) : setTimeout(look); look(); })",
    ),
    1,
  );
});

async function show(windowState: "normal" | "minimized"): Promise<void> {
  const { root } = browser.connection;
  const { targetId } = await browser.tabs.current();
  const { windowId } = await root.send("Browser.getWindowForTarget", { targetId });
  await root.send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
}

const value = async (expression: string) => (await verbs.evaluate({ expression })).result;

async function idOf(line: RegExp): Promise<number> {
  const { snapshot } = await verbs.snapshot({});
  const shown = snapshot.split("\n").find((one) => line.test(one)) ?? "";
  return Number(/\[id=(\d+)\]/.exec(shown)?.[1]);
}

test("a screenshot shows the page, or says that the window is minimized", async () => {
  for (const full_page of [false, true]) {
    const taken = await promptly(() => verbs.screenshot({ full_page }).catch((error: unknown) => error));
    if (taken instanceof Fault) assert.match(taken.message, /^the window is minimized and draws nothing/);
    else assert.equal(Reflect.get(Object(taken), "mediaType"), "image/png", String(taken));
  }
  await show("normal");
  assert.equal((await verbs.screenshot({})).mediaType, "image/png");
});

async function promptly<T>(work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const result = await work();
  const ms = performance.now() - from;
  assert.ok(ms < promptMs, `it took ${ms.toFixed(0)} ms`);
  return result;
}

test("a snapshot of one element works, on a changed page and on an unchanged one", async () => {
  for (const change of ["0", "document.querySelector('h1').textContent = 'Changed'", "0"]) {
    await value(change);
    const { snapshot } = await promptly(() => verbs.snapshot({ selector: "main" }));
    assert.match(snapshot, change === "0" ? /main[^\n]*\n\s+heading/ : /heading "Changed"/);
    assert.doesNotMatch(snapshot, /document/);
  }
  const { snapshot } = await promptly(() => verbs.snapshot({ selector: "button" }));
  assert.match(snapshot, /^Unseen — .*\nbutton "Go" \[id=\d+\]$/);
});

test("a snapshot shows the changes since the last one", async () => {
  await promptly(() => verbs.snapshot({}));
  await value("document.querySelector('h1').textContent = 'Changed'");
  const { snapshot } = await promptly(() => verbs.snapshot({}));
  assert.match(snapshot, /heading "Changed"/);
});

test("click, type and a key reach the page", async () => {
  const button = await idOf(/^\s*button /);
  await promptly(() => verbs.click({ node_id: button }));
  assert.equal(await value("document.querySelector('button').textContent"), "done");
  const field = await idOf(/^\s*textbox /);
  await promptly(() => verbs.type({ node_id: field, text: "Ada" }));
  await promptly(() => verbs.pressKey({ key: "Backspace" }));
  assert.equal(await value("document.querySelector('input').value"), "Ad");
});

test("the page scrolls, and so does a scrollable element at its centre", async () => {
  const box = "document.querySelector('#box')";
  await promptly(() => verbs.scroll({ direction: "down", amount: 300 }));
  assert.equal(await value(`scrollY + ${box}.scrollTop`), 300);
  await promptly(() => verbs.scroll({ direction: "up", amount: 100 }));
  assert.equal(await value(`scrollY + ${box}.scrollTop`), 200);
  await value(`void ${box}.remove()`);
  await promptly(() => verbs.scroll({ direction: "down", amount: 100_000 }));
  assert.ok(Number(await value("scrollY")) > 1_000);
  await promptly(() => verbs.scroll({ direction: "right", amount: 50 }));
  assert.equal(await value("scrollX"), 0);
});

test("wait-for-element and navigate work", async () => {
  await value(
    "void setTimeout(() => document.body.append(Object.assign(document.createElement('b'), { id: 'late' })), 50)",
  );
  const { node_id } = await promptly(() => verbs.waitForElement({ selector: "#late", timeout_ms: promptMs }));
  assert.ok(node_id > 0);
  const { title } = await promptly(() => verbs.navigate({ url: "data:text/html,<title>Next</title>" }));
  assert.equal(title, "Next");
});
