/** The editor of blocks: five blocks dragged into a program that runs, undo, warnings at their block, a recording imported. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createProfiles } from "../gateway/running.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";

let window: ControlPage;
let page: Page;
before(async () => {
  window = await openControlPage();
  ({ page } = window);
  await createProfiles(window.running.client, 1);
});
after(() => window.close());

const canvas = () => page.locator(".canvas");
const code = () => page.getByRole("region", { name: "Code" }).getByRole("textbox");
const blocks = () => canvas().locator(".blocklySvg > .blocklyWorkspace > .blocklyBlockCanvas [data-id]");

/** Drags a block of the list to below the last of the program, or into the slot of the block that is there. */
async function drag(group: string, kind: string, count: number): Promise<void> {
  await canvas().locator(".blocklyToolboxCategory", { hasText: group }).first().click();
  const offered = canvas().locator(".blocklyFlyout .blocklyDraggable", {
    has: page.getByText(kind, { exact: true }),
  });
  const view = await canvas().boundingBox();
  const list = await canvas().locator(".blocklyFlyoutBackground").last().boundingBox();
  assert.ok(view && list);
  await page.mouse.move(list.x + list.width - 20, view.y + view.height / 2);
  let from = await offered.first().boundingBox();
  for (let turn = 0; turn < 40 && from !== null && from.y + 40 > view.y + view.height; turn += 1) {
    await page.mouse.wheel(0, 60);
    from = await offered.first().boundingBox();
  }
  const last = await blocks().last().locator(".blocklyPath").first().boundingBox();
  assert.ok(from && last);
  await page.mouse.move(from.x + 12, from.y + 12);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + 40, { steps: 4 });
  await page.mouse.move(last.x + 14, last.y + last.height + 14, { steps: 10 });
  await page.mouse.up();
  const held =
    'document.querySelectorAll(".canvas .blocklySvg > .blocklyWorkspace > .blocklyBlockCanvas [data-id]")';
  await page.waitForFunction(`${held}.length === ${count + 1}`);
}

test("five blocks are dragged into a program, whose code stands beside it", async () => {
  await page.goto(`${window.base}#/scripts/blocks`);
  await canvas().locator(".blocklyToolboxCategory").first().waitFor();
  const form = page.getByRole("complementary", { name: "Block" });
  await drag("Page", "navigate", 1);
  await form.getByLabel("url").fill("data:text/html,<title>Shop</title><h1>Lamps</h1>");
  await drag("Waiting", "waitElement", 2);
  await form.getByLabel("value").fill("h1");
  await drag("Reading", "extractText", 3);
  await form.getByLabel("value").fill("h1");
  await form.getByLabel("saveTo").fill("heading");
  await drag("Reading", "output", 4);
  await form.getByLabel("values, as JSON").fill('{ "heading": "{{ vars.heading }}" }');
  await form.getByLabel("values, as JSON").blur();
  await drag("Waiting", "wait", 5);
  await form.getByLabel("ms").fill("7");
  await code().getByText("page.goto").waitFor();
  await code().getByText("sleep(7)").waitFor();
  assert.equal(await page.getByText("hang from nothing").count(), 0);
  await window.checkAccess();
  await window.shoot("blocks");
});

test("a step back is undone and done again", async () => {
  await page.getByRole("button", { name: "Undo" }).click();
  await code().getByText("sleep(7)").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Redo" }).click();
  await code().getByText("sleep(7)").waitFor();
});

test("the program is saved, and tried on a profile", async () => {
  await page.getByLabel("Name").fill("Lamps");
  await page.getByRole("button", { name: "Save and try" }).click();
  await page.getByLabel("Profile 1").check();
  await page.getByLabel("Browsers without a window").check();
  await page.getByRole("button", { name: "Run on 1 profile" }).click();
  const run = page.getByRole("region", { name: "Run", exact: true });
  await run.locator(".tag", { hasText: "completed" }).waitFor({ timeout: 60_000 });
  const cells = page.getByRole("region", { name: "Output" }).locator("tbody td");
  assert.deepEqual(await cells.allTextContents(), ["Profile 1", "Lamps"]);
  const [script] = await window.running.service.actors.library.listScripts({});
  assert.deepEqual([script?.name, script?.mode, script?.origin], ["Lamps", "dsl", "app"]);
});

test("a recording is imported, opened as blocks, and its warnings stand at them", async () => {
  await page.goto(`${window.base}#/scripts/blocks`);
  const recording = {
    title: "Recorded",
    steps: [
      { type: "navigate", url: "https://example.com/" },
      { type: "click", selectors: [["xpath//html/body/div[2]/div/a"]], offsetX: 5, offsetY: 5 },
    ],
  };
  await page.getByLabel("Import a recording or a document").setInputFiles({
    name: "recorded.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(recording)),
  });
  await page.waitForURL((url) => /blocks\/.{36}$/.test(url.hash));
  await blocks().filter({ hasText: "navigate" }).first().waitFor();
  await code().getByText("https://example.com/").waitFor();
  assert.equal(await page.getByLabel("Name").inputValue(), "Recorded");
  await page.getByText("[brittle-selector]").first().waitFor();
  await canvas().locator(".blocklyIconGroup").first().waitFor();
  await window.shoot("blocks-recording");
});

test("the page has said no error but that unfinished programs do not compile", () => {
  const refused = /^Failed to load resource: the server responded with a status of 400/;
  assert.deepEqual(
    window.troubles.filter((trouble) => !refused.test(trouble)),
    [],
  );
});
