/** The control page's scripts: reading a change, approving it, writing a script, running it. */
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
});
after(() => window.close());

const source = (text: string) => `import type { Page } from "playwright-core";
import type { ScriptContext } from "@app/script";

export default async function run({ log }: ScriptContext<Page>): Promise<void> {
${Array.from({ length: 30 }, (_, at) => `  log.info("step ${at}");`).join("\n")}
  log.info("${text}");
}
`;

async function save(text: string, scriptId?: string): Promise<string> {
  const replaced = scriptId === undefined ? {} : { script_id: scriptId };
  const given = { name: "Greeting", source: source(text), ...replaced };
  const { status, body } = await window.running.client.post("/v1/scripts", given);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { scriptId: string }).scriptId;
}
const read = async (scriptId: string) => {
  const { body } = await window.running.client.get(`/v1/scripts/${scriptId}`);
  return body as { approved: boolean; source: string; version: string; origin: string };
};
const coloured = (word: string) =>
  page
    .locator(".cm-line span[class]", { hasText: new RegExp(`^${word}$`) })
    .first()
    .waitFor();
const visit = (path: string) => page.goto(`${window.base}#/${path}`);

test("the user reads and approves a script that a program saved", async () => {
  await visit("scripts");
  await page.getByText("No script yet").waitFor();
  const scriptId = await save("good day");
  await page.getByRole("link", { name: "Greeting" }).click();
  await coloured("export");
  await page.getByText("No version of this script is approved yet.").waitFor();
  await page.getByText("No contract violations.").waitFor();
  await window.checkAccess();
  await window.shoot("script-new");
  await page.getByRole("button", { name: "Approve this source" }).click();
  await page.getByText("Greeting is approved.").waitFor();
  await page.locator(".tag", { hasText: /^approved$/ }).waitFor();
  assert.equal((await read(scriptId)).approved, true);
});

test("its replacement is shown as a change and approved", async () => {
  const scriptId = await save("first");
  await window.running.service.actors.library.approveScript({ scriptId, sha256: null });
  await save("second", scriptId);
  await visit(`scripts/${scriptId}`);
  await page.getByRole("heading", { name: "Changes since approval" }).waitFor();
  const change = page.getByRole("textbox", { name: "Changes of Greeting" });
  await change.locator(".cm-deletedChunk", { hasText: 'log.info("first")' }).waitFor();
  await change.locator(".cm-changedLine", { hasText: 'log.info("second")' }).waitFor();
  await change.getByText("unchanged lines").waitFor();
  await window.checkAccess();
  await window.shoot("script-change");
  await page.getByRole("button", { name: "Approve this source" }).click();
  await page.getByRole("heading", { name: "Source", exact: true }).waitFor();
  assert.deepEqual([(await read(scriptId)).approved, (await read(scriptId)).version], [true, "2"]);
});

test("a script that is replaced while it is read cannot be approved unread", async () => {
  const scriptId = await save("harmless");
  await visit(`scripts/${scriptId}`);
  const approve = page.getByRole("button", { name: "Approve this source" });
  await approve.waitFor();
  await save("harmful", scriptId);
  await page.getByRole("alert").getByText("version 2 replaces the one shown here").waitFor();
  assert.equal(await approve.isDisabled(), true);
  assert.equal(
    await page.getByText('log.info("harmful")').count(),
    0,
    "the version that was read stays on the screen",
  );
  await page.getByRole("button", { name: "Show version 2" }).click();
  await page.getByText('log.info("harmful")').waitFor();
  await approve.click();
  await page.locator(".tag", { hasText: /^approved$/ }).waitFor();
  assert.equal((await read(scriptId)).approved, true);
});

test("the user writes a script: violations are shown at their lines, and the API cannot replace the saved script", async () => {
  await visit("scripts/new");
  const code = page.getByRole("textbox", { name: "Source" });
  await code.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("require('fs');\n");
  const breach = page.getByRole("button", { name: /line \d+ \[no-require\]/ });
  await breach.waitFor();
  await page.locator(".cm-lint-marker-error").first().waitFor();
  await window.checkAccess();
  await window.shoot("script-write");
  assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
  await breach.click();
  await code.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Control+a");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(source("mine"))})`);
  await page.keyboard.press("Control+v");
  await page.getByText("No contract violations.").waitFor();
  await page.getByLabel("Name").fill("Mine");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Mine" }).waitFor();
  const scriptId = page.url().split("/").at(-1) ?? "";
  assert.deepEqual([(await read(scriptId)).origin, (await read(scriptId)).source], ["app", source("mine")]);
  const replaced = await window.running.client.post("/v1/scripts", {
    name: "Mine",
    source: source("theirs"),
    script_id: scriptId,
  });
  assert.equal(replaced.status, 409);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Name").fill("Mine again");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Mine again" }).waitFor();
  await visit("scripts");
  await page.getByRole("link", { name: "Mine again" }).waitFor();
  await window.checkAccess();
  await window.shoot("scripts");
});

test("what is typed survives a reload and a link, and a double click saves one script, whose new source is shown after an edit", async () => {
  await visit("scripts/new");
  await page.getByLabel("Name").fill("Typed");
  await page.getByLabel("Description").fill("by hand");
  await page.reload();
  assert.equal(await page.getByLabel("Description").inputValue(), "by hand");
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await visit("scripts/new");
  assert.equal(await page.getByLabel("Name").inputValue(), "Typed");
  await page.getByRole("button", { name: "Save" }).dblclick();
  await page.getByRole("heading", { name: "Typed" }).waitFor();
  const scripts = await window.running.service.actors.library.listScripts({});
  assert.equal(scripts.filter(({ name }) => name === "Typed").length, 1);
  await page.getByRole("button", { name: "Edit" }).click();
  const code = page.getByRole("textbox", { name: "Source" });
  await code.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// again\n");
  await page.getByText("No contract violations.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("textbox", { name: "Source of Typed" }).getByText("// again").waitFor();
  await page.getByText("version 2").waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve this source" }).isDisabled(), false);
  await visit("scripts/new");
  assert.equal(await page.getByLabel("Name").inputValue(), "", "a saved draft is gone");
});

test("the script runs on the chosen profiles", async () => {
  const [profileId] = await createProfiles(window.running.client, 2);
  const scriptId = await save("chosen");
  await visit(`scripts/${scriptId}`);
  await page.getByRole("button", { name: "Run …" }).click();
  await page.getByLabel("Search profiles").fill("profile 1");
  await page.getByLabel("Profile 1").check();
  await page.getByLabel("Headless browsers").check();
  await page.getByLabel("Variables").fill("WHO=me");
  await window.checkAccess();
  await window.shoot("run-dialog");
  await page.getByRole("button", { name: "Run on 1 profile" }).dblclick();
  const shown = page.getByRole("region", { name: "Run", exact: true });
  await shown.locator(".tag", { hasText: "completed" }).waitFor();
  const runs = await window.running.service.actors.library.listRuns({ scheduleId: null, limit: 9 });
  assert.equal(runs.length, 1, "the second click of a double click starts nothing");
  const [run] = runs;
  assert.deepEqual([run?.profileIds, run?.source, run?.status], [[profileId], "app", "completed"]);
});

test("the page reports no error", () => assert.deepEqual(window.troubles, []));
