/** The block editor: dragging five blocks into a running program, undo, warnings at blocks, an imported recording. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
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

/** Drags a block from the toolbox below the program's last block, or into the existing block's slot. */
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
  // Until then the form belongs to the last block.
  await page
    .getByRole("region", { name: "Block" })
    .getByRole("heading", { name: kind, exact: true })
    .waitFor();
}

test("five blocks are dragged into a program, and its code is shown beside it", async () => {
  await page.goto(`${window.base}#/scripts/blocks`);
  await canvas().locator(".blocklyToolboxCategory").first().waitFor();
  const form = page.getByRole("region", { name: "Block" });
  await drag("Page", "navigate", 1);
  await form.getByLabel("url").fill("data:text/html,<title>Shop</title><h1>Lamps</h1>");
  await drag("Waiting", "waitElement", 2);
  await form.getByLabel("value").fill("h1");
  await drag("Reading", "extractText", 3);
  await form.getByLabel("value").fill("h1");
  await form.getByLabel("saveTo").fill("heading");
  await drag("Reading", "output", 4);
  await form.getByRole("button", { name: "Add to values" }).click();
  await form.getByLabel("name 1 of values").fill("heading");
  await form.getByLabel("name 1 of values").blur();
  await form.getByRole("textbox", { name: "value 1 of values" }).fill("{{ vars.heading }}");
  await drag("Waiting", "wait", 5);
  await form.getByLabel("ms").fill("7");
  await code().getByText("page.goto").waitFor();
  await code().getByText("sleep(7)").waitFor();
  assert.equal(await page.getByText("not connected to Start").count(), 0);
  await window.checkAccess();
  await window.shoot("blocks");
});

test("a change is undone and redone", async () => {
  await page.getByRole("button", { name: "Undo" }).click();
  await code().getByText("sleep(7)").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Redo" }).click();
  await code().getByText("sleep(7)").waitFor();
});

test("the program is saved and run on a profile", async () => {
  await page.getByLabel("Name", { exact: true }).fill("Lamps");
  await page.getByRole("button", { name: "Save and try" }).click();
  await page.getByLabel("Profile 1").check();
  await page.getByLabel("Headless browsers").check();
  await page.getByRole("button", { name: "Run on 1 profile" }).click();
  const run = page.getByRole("region", { name: "Run", exact: true });
  await run.locator(".tag", { hasText: "completed" }).waitFor();
  const cells = page.getByRole("region", { name: "Output" }).locator("tbody td");
  assert.deepEqual(await cells.allTextContents(), ["Profile 1", "Lamps"]);
  const [script] = await window.running.service.actors.library.listScripts({});
  assert.deepEqual([script?.name, script?.mode, script?.origin], ["Lamps", "dsl", "app"]);
});

async function openEmptyEditor(): Promise<void> {
  await page.goto(`${window.base}#/scripts`);
  // Otherwise the editor would keep its program.
  await page.getByRole("heading", { name: "Scripts", exact: true }).waitFor();
  await page.goto(`${window.base}#/scripts/blocks`);
  await canvas().locator(".blocklyToolboxCategory").first().waitFor();
}

test("two fields that are filled in immediately after each other are both kept", async () => {
  await openEmptyEditor();
  const form = page.getByRole("region", { name: "Block" });
  await drag("Reading", "extractText", 1);
  await page.evaluate(`(async () => {
    const labels = [...document.querySelectorAll('[aria-label="Block"] label')];
    for (const name of ["value", "saveTo"]) {
      const field = labels.find((label) => label.textContent === name).querySelector("input");
      field.value = "h1";
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await null; // The second comes before the canvas reports the first.
    }
  })()`);
  await code().getByText('page.locator("h1")').waitFor();
  for (const name of ["value", "saveTo"]) assert.equal(await form.getByLabel(name).inputValue(), "h1");
});

test("branches, lists, inputs and subflows have forms, and are shown on the canvas", async () => {
  await openEmptyEditor();
  const program = page.getByRole("region", { name: "Program" });
  await program.getByLabel("Add to the program").selectOption("inputs");
  await program.getByLabel("Add to inputs").selectOption("variables");
  await program.getByRole("button", { name: "Add to variables" }).click();
  await program.getByLabel("name", { exact: true }).fill("city");
  const form = page.getByRole("region", { name: "Block" });
  await drag("Flow", "if", 1);
  await form.getByLabel("Add to if").selectOption("elseIf");
  await canvas().getByText("elseIf 1").waitFor();
  await form.getByRole("button", { name: "Add to elseIf" }).click();
  await canvas().getByText("elseIf 2").waitFor();
  await form.getByRole("button", { name: "Remove elseIf 2" }).click();
  await canvas().getByText("elseIf 2").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await canvas().getByText("elseIf 2").waitFor();
  await page.getByRole("button", { name: "Redo" }).click();
  await canvas().getByText("elseIf 2").waitFor({ state: "detached" });
  await page.getByLabel("Name of a new subflow").fill("greet");
  await page.getByRole("button", { name: "Add subflow" }).click();
  const subflow = page.getByRole("region", { name: "Subflow" });
  await subflow.getByRole("heading", { name: "Subflow greet" }).waitFor();
  await subflow.getByLabel("Add to greet").selectOption("params");
  await subflow.getByRole("button", { name: "Add to params" }).click();
  await subflow.getByRole("textbox", { name: "params 1" }).fill("who");
  await window.shoot("blocks-subflow");
  await page.getByLabel("On the canvas").selectOption("");
  await canvas().getByText("elseIf 1").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Branches");
  await window.checkAccess();
  await window.shoot("blocks-branches");
});

test("with the keyboard only, blocks are added, moved, filled in and removed, and that is undone", async () => {
  await openEmptyEditor();
  const list = page.getByLabel("Blocks in order");
  await list.waitFor();
  const lines = () => list.locator("option").allTextContents();
  const named = `(() => {
    const at = document.activeElement;
    return at?.getAttribute("aria-label") || at?.labels?.[0]?.textContent || at?.textContent || "";
  })()`;
  const tabTo = async (name: string, key = "Tab") => {
    for (let turn = 0; turn < 60; turn += 1) {
      if ((await page.evaluate<string>(named)).startsWith(name)) return;
      await page.keyboard.press(key);
    }
    assert.fail(`Tab does not reach ${name}`);
  };
  const add = async (kind: string, button: string) => {
    await tabTo("Kind of the new block", "Shift+Tab");
    await page.keyboard.type(kind);
    await tabTo(button);
    await page.keyboard.press("Enter");
  };
  await tabTo("Kind of the new block");
  await add("navigate", "Add at the end");
  await tabTo("url");
  await page.keyboard.type("data:text/html,hello");
  await code().getByText("data:text/html,hello").waitFor();
  await add("forCount", "Add below");
  await add("hover", "Add in steps");
  assert.deepEqual(await lines(), ["navigate data:text/html,hello", "forCount", "\u2003hover"]);
  await tabTo("Blocks in order", "Shift+Tab");
  await page.keyboard.press("Alt+ArrowUp"); // Out of the loop.
  await until("the block is outside the loop", async () => (await lines())[1] === "hover");
  await page.keyboard.press("Alt+ArrowUp");
  await until("the block is first", async () => (await lines())[0] === "hover");
  await page.keyboard.press("Alt+ArrowDown");
  await until("the block is second", async () => (await lines())[1] === "hover");
  await page.keyboard.press("Delete");
  await until("the block is removed", async () => (await lines()).length === 2);
  await tabTo("Undo", "Shift+Tab");
  await page.keyboard.press("Enter");
  await until("the block is back", async () => (await lines()).length === 3);
  assert.equal(await page.getByText("not connected to Start").count(), 0);
  await window.checkAccess();
  await window.shoot("blocks-keys");
});

test("a recording is imported and opened as blocks, with its warnings at them", async () => {
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
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Recorded");
  await page.getByText("[brittle-selector]").first().waitFor();
  await canvas().locator(".blocklyIconGroup").first().waitFor();
  await window.shoot("blocks-recording");
});

test("the page reports no error, except that unfinished programs do not compile", () => {
  const refused = /^Failed to load resource: the server responded with a status of 400/;
  assert.deepEqual(
    window.troubles.filter((trouble) => !refused.test(trouble)),
    [],
  );
});
