/** The page Profiles: creating, finding, opening and organising, the trash, cookies, and keyboard use. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createDeferred } from "../../actors/kernel/deferred.ts";
import type { Cookie } from "../../protocol/cookies.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";

let control: ControlPage;
let page: Page;
let site: Server;
let folder: string;
before(async () => {
  control = await openControlPage();
  ({ page } = control);
  page.setDefaultTimeout(20_000);
  folder = await mkdtemp(join(tmpdir(), "troupe-cookies-"));
  // Shows the visitor's cookies, and makes new visitors members.
  site = createServer((request, response) => {
    const { cookie = "" } = request.headers;
    response.setHeader("set-cookie", ["member=yes; Max-Age=86400; HttpOnly", "seen=1"]);
    response.end(`<title>Club</title><h1>cookies: ${cookie}</h1>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  await control.close();
  await new Promise((resolve) => site.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const row = (name: string) => page.getByRole("row", { name });
const dialog = (submit: string) =>
  page.getByRole("dialog").getByRole("button", { name: submit, exact: true });
const inList = (name: string) => page.getByRole("grid").getByRole("button", { name });
const panel = () => page.getByRole("complementary", { name: "Profile" });
const button = (name: string | RegExp) => page.getByRole("button", { name });
const told = (text: string | RegExp) => page.locator(".notices").getByText(text).first().waitFor();
const place = (name: string) =>
  page.getByRole("navigation", { name: "Profile filters" }).getByText(name, { exact: true });

async function idOf(name: string): Promise<string> {
  const { json } = await control.running.service.actors.library.listProfiles({ live: [] });
  const profiles: { id: string; name: string }[] = JSON.parse(Buffer.from(json).toString("utf8"));
  const found = profiles.find((profile) => profile.name === name);
  assert.ok(found, `${name} is listed`);
  return found.id;
}

async function visit(name: string): Promise<string> {
  const address = site.address();
  assert.ok(typeof address === "object" && address !== null);
  const verbs = await control.running.service.actors.page(await idOf(name));
  await verbs.navigate({ url: `http://127.0.0.1:${address.port}/` });
  return String((await verbs.evaluate({ expression: "document.querySelector('h1').textContent" })).result);
}

test("profiles are created in the dialog and listed at once", async () => {
  await page.goto(`${control.base}#/profiles`);
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  await button("New profiles").click();
  await page.getByLabel("How many").fill("4");
  await page.getByLabel("Name").fill("Shop {n}");
  await page.getByLabel("System").selectOption("windows");
  await page.getByLabel("Tags").fill("eu, new");
  await control.shoot("profiles-create");
  await control.checkAccess();
  await dialog("Create").click();
  await told("4 profiles created.");
  await row("Shop 4").waitFor();
  assert.equal(await page.getByRole("row").count(), 5, "the header and four profiles");
  await place("eu").waitFor();
});

test("a click on a column's head sorts the list, and a second one turns it round", async () => {
  const head = page.getByRole("columnheader", { name: "Name" });
  const names = () => page.locator(".grid-body .cell-name").allTextContents();
  const inOrder = ["Shop 1", "Shop 2", "Shop 3", "Shop 4"];
  await head.getByRole("button").click();
  assert.deepEqual([await head.getAttribute("aria-sort"), await names()], ["ascending", inOrder]);
  await head.getByRole("button").click();
  assert.deepEqual(
    [await head.getAttribute("aria-sort"), await names()],
    ["descending", inOrder.toReversed()],
  );
  await page.getByLabel("Order").selectOption("newest");
  assert.equal(await head.getAttribute("aria-sort"), "none");
});

test("a profile is found, renamed, tagged, moved and grouped", async () => {
  await page.getByLabel("Search profiles").fill("shop 2");
  await row("Shop 2").click();
  await panel().getByText("Time zone").waitFor();
  await panel().getByLabel("Name").fill("Bakery");
  await panel().getByRole("button", { name: "Rename" }).click();
  await told("Renamed to Bakery.");
  await page.getByLabel("Search profiles").fill("");
  await row("Bakery").waitFor();
  await panel().getByRole("button", { name: "Tags …" }).click();
  await page.getByLabel("Add").fill("vip");
  await page.getByLabel("Remove").fill("new");
  await dialog("Save").click();
  await place("vip").click();
  assert.equal(await page.getByRole("row").count(), 2);
  await panel().getByRole("button", { name: "Move …" }).click();
  await page.getByLabel("Folder").fill("Berlin");
  await dialog("Move").click();
  await place("Berlin").waitFor();
  await panel().getByRole("button", { name: "Groups …" }).click();
  await page.getByLabel("Add").fill("A");
  await dialog("Save").click();
  await place("A").click();
  await row("Bakery").waitFor();
  await control.shoot("profiles-panel");
  await control.checkAccess();
  const { json } = await control.running.service.actors.library.listProfiles({ live: [] });
  const bakery = JSON.parse(Buffer.from(json).toString("utf8"))[1];
  assert.deepEqual(
    [bakery.slug, bakery.folder, bakery.tags, bakery.groups],
    ["bakery", "Berlin", ["eu", "vip"], ["A"]],
  );
  await button("Close the panel").click();
  await place("All").click();
});

test("an opened profile runs without an idle stop until it is closed; cookies are exported to a file and imported into another profile", async () => {
  const asked = page.waitForRequest(/\/launch$/);
  await inList("Open Bakery").click();
  assert.deepEqual((await asked).postDataJSON(), { idle_timeout_secs: 0 });
  await inList("Close Bakery").waitFor();
  await visit("Bakery");
  await row("Bakery").click();
  const download = page.waitForEvent("download");
  await panel().getByRole("button", { name: "Export" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "bakery-cookies.json");
  const file = join(folder, "cookies.json");
  await saved.saveAs(file);
  const cookies: Cookie[] = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual(cookies.map(({ name }) => name).sort(), ["member", "seen"]);
  await panel().getByRole("button", { name: "Close Bakery" }).click();
  await inList("Open Bakery").waitFor();

  await writeFile(file, JSON.stringify([...cookies, { name: "bad" }]));
  await row("Shop 1").click();
  await panel().getByRole("heading", { name: "Shop 1" }).waitFor();
  await page.getByLabel("Cookie file").setInputFiles(file);
  await told(/2 cookies imported\. 1 rejected; cookie 3: value must be a string/);
  await panel().getByRole("button", { name: "Open Shop 1" }).click();
  await inList("Close Shop 1").waitFor();
  assert.match(await visit("Shop 1"), /member=yes; seen=1|seen=1; member=yes/, "session cookies are kept");
  await page.getByLabel("Cookie file").setInputFiles(file);
  await told(/2 cookies imported\. 1 rejected/);
  assert.match(await visit("Shop 1"), /member=yes; seen=1|seen=1; member=yes/);
});

test("a running profile is closed when it is trashed; the trash can restore profiles or delete them for good", async () => {
  const shop1 = await idOf("Shop 1");
  const { library, pool } = control.running.service.actors;
  await panel().getByRole("button", { name: "Delete …" }).click();
  await page.getByText("This closes 1 running profile.").waitFor();
  await dialog("Move to the trash").click();
  await told("1 profile moved to the trash.");
  assert.deepEqual(await pool.live({}), []);
  await page.goto(`${control.base}#/profiles`);
  await page.getByLabel("Select Shop 3").click();
  await page.getByLabel("Select Shop 4").click();
  await page.getByText("2 profiles selected").waitFor();
  await control.shoot("profiles-selected");
  await button("Delete …").click();
  await dialog("Move to the trash").click();
  await told("2 profiles moved to the trash.");
  await place("Trash").click();
  await button("Restore Shop 3").waitFor();
  // Delays the page's update after the restore, so that its message about the trash must come from the service.
  const heard = createDeferred<void>();
  await page.route("**/rpc", async (route) => {
    if (route.request().postDataJSON().method === "profilesSince") await heard.promise;
    await route.continue();
  });
  await button("Restore Shop 3").click();
  await told("1 profile restored.");
  await button("Empty the trash …").click();
  await control.shoot("profiles-empty-trash");
  await dialog("Delete permanently").click();
  await told("2 profiles deleted permanently.");
  heard.resolve();
  await page.getByText("The trash is empty.").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await assert.rejects(
    readFile(join(control.running.dataDir, "profiles", shop1, "chromium", "Local State")),
    {
      code: "ENOENT",
    },
  );
  await assert.rejects(library.restoreProfiles({ profileIds: [shop1] }), { kind: "not-found" });
});

test("the keyboard alone can find, select, tag, show and delete profiles", async () => {
  await page.goto(`${control.base}#/profiles`);
  await place("All").click();
  await row("Bakery").waitFor();
  await page.getByLabel("Search profiles").focus();
  await page.keyboard.press("Tab"); // the order
  await page.keyboard.press("Tab"); // new profiles
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Tab"); // from a file
  await page.keyboard.press("Tab"); // the next of the first steps
  await page.keyboard.press("Tab"); // the list
  assert.equal(await page.evaluate("document.activeElement.getAttribute('role')"), "grid");
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("2 profiles selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("2 profiles selected").waitFor({ state: "detached" });
  await page.keyboard.press("Space");
  await page.getByText("1 profile selected").waitFor();
  // Whether the panel has the focus as soon as it is in the document.
  await page.evaluate(`new MutationObserver((_, observer) => {
    const panel = document.querySelector("aside.panel");
    if (panel === null) return;
    observer.disconnect();
    globalThis.focusedWith = panel.contains(document.activeElement);
  }).observe(document.querySelector("#main"), { childList: true, subtree: true })`);
  await page.keyboard.press("Enter");
  await panel().getByRole("heading", { name: "Bakery" }).waitFor();
  assert.equal(await page.evaluate("focusedWith"), true, "the panel has the focus from the start");
  await page.keyboard.press("Escape");
  await panel().waitFor({ state: "detached" });
  assert.equal(
    await page.evaluate("document.activeElement.getAttribute('role')"),
    "grid",
    "the focus returns to the list",
  );
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").waitFor();
  await dialog("Move to the trash").focus();
  await page.keyboard.press("Enter");
  await told("1 profile moved to the trash.");
});

test("no page reports an error", () => assert.deepEqual(control.troubles, []));
