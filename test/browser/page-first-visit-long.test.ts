/** A first visit of the control page: what each empty page says, and the way to a first profile, script and run. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import type { Run } from "../../protocol/records.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";
import { actsOn } from "./fixture/page-acts.ts";

let control: ControlPage;
let page: Page;
let acts: ReturnType<typeof actsOn>;
before(async () => {
  control = await openControlPage();
  ({ page } = control);
  acts = actsOn(control);
});
after(() => control.close());

const emptyPages: { path: string; says: RegExp; first: string }[] = [
  { path: "running", says: /^Each browser that runs is shown here/, first: "Create a profile" },
  { path: "scripts", says: /^A script drives the pages of your profiles/, first: "New script" },
  { path: "runs", says: /^A run is a script at work/, first: "Add a script" },
  { path: "activity", says: /^What happens is listed here by itself/, first: "Open a profile" },
  { path: "schedules", says: /^A schedule runs an approved script/, first: "New schedule" },
  {
    path: "proxies",
    says: /^Profiles without a proxy use this machine's IP address/,
    first: "Import proxies",
  },
  { path: "datasets", says: /^A dataset is a table of text for scripts/, first: "New dataset from CSV" },
];

for (const { path, says, first } of emptyPages)
  test(`the empty page "${path}" says in a few sentences what it is for, and has its first button`, async () => {
    await acts.visit(path);
    const empty = page.locator(".empty");
    const text = String(await empty.locator("p").textContent());
    assert.match(text, says);
    assert.ok(text.split(/[.:] /).length <= 3, text);
    const button = empty.locator("button, a").filter({ hasText: first });
    assert.equal(await button.count(), 1);
    await control.shoot(`empty-${path}`);
    await control.checkAccess();
  });

const step = (name: string) => page.locator(".steps li[aria-current]").getByText(name, { exact: true });

test("the first visit leads to a first profile, a first script and a first run", async () => {
  await acts.visit("profiles");
  await step("Create a profile").waitFor();
  await control.shoot("empty-profiles");
  await control.checkAccess();
  await step("Create a profile").click();
  await acts.button("Create", acts.dialog()).click();
  await acts.row("Profile 1").waitFor();
  await step("Add a script").click();
  await page.getByLabel("Name").fill("Title");
  await page.getByRole("textbox", { name: "Source" }).click();
  await page.keyboard.press("Control+a");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(source)})`);
  await page.keyboard.press("Control+v");
  await page.getByText("No contract violations.").waitFor();
  await acts.button("Save").click();
  await page.getByRole("heading", { name: "Title" }).waitFor();
  await acts.visit("profiles");
  await step("Run Title").waitFor();
  await control.shoot("first-steps");
  await step("Run Title").click();
  await page.getByLabel("Headless browsers").check();
  await acts.button("Run on 1 profile").click();
  const run = page.getByRole("region", { name: "Run", exact: true });
  await run.locator(".tag", { hasText: "completed" }).waitFor();
  await page.getByRole("region", { name: "Output" }).getByText("First page").waitFor();
  const [{ profilesDone } = { profilesDone: 0 }] = await acts.read<Run[]>("/v1/runs");
  assert.equal(profilesDone, 1);
});

const source = `export default async function run({ page, output }) {
  await page.goto("data:text/html,<title>First page</title>");
  output({ title: await page.title() });
}
`;

test("after the first run the steps are gone", async () => {
  await acts.visit("profiles");
  await acts.row("Profile 1").waitFor();
  await page.locator(".steps").waitFor({ state: "detached" });
});

test("the page reports no error", () => acts.noTroubles());
