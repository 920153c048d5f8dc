/** Copies of a profile on the control page: checkpoint, duplicate, file and import; and the pictures that a run kept. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";

let control: ControlPage;
let page: Page;
let id: string;
before(async () => {
  control = await openControlPage();
  ({ page } = control);
  page.setDefaultTimeout(30_000);
  page.on("dialog", (dialog) => void dialog.accept());
  [id = ""] = await createProfiles(control.running.client, 1);
});
after(() => control.close());

const client = () => control.running.client;
const add = (name: string) => {
  const cookie = { name, value: "1", domain: "shop.example", path: "/", expires: 4e9 };
  return client().post(`/v1/profiles/${id}/cookies`, { cookies: [cookie] });
};
const cookiesOf = async (of: string) =>
  ((await client().get(`/v1/profiles/${of}/cookies`)).body as { name: string }[])
    .map(({ name }) => name)
    .sort();
const profiles = async () => (await client().get("/v1/profiles")).body as { id: string; name: string }[];
const panel = () => page.getByRole("complementary", { name: "Profile" });
const press = (name: string) => panel().getByRole("button", { name, exact: true }).click();
const told = (text: string | RegExp) => page.getByRole("status").getByText(text).first().waitFor();

test("a checkpoint is kept and restored", async () => {
  await add("before");
  await page.goto(`${control.base}#/profiles/${id}`);
  await page.getByLabel("New checkpoint").fill("clean");
  await press("Keep");
  await told("The checkpoint is kept.");
  await add("after");
  assert.deepEqual(await cookiesOf(id), ["after", "before"]);
  await press("Restore clean");
  await told('"clean" is restored.');
  assert.deepEqual(await cookiesOf(id), ["before"]);
  await control.checkAccess();
  await control.shoot("copies");
  await press("Delete clean");
  await told("Deleted.");
});

test("a duplicate with logins, and a file that becomes a profile again", async () => {
  await panel().getByLabel("with logins and storage").check();
  await press("Duplicate");
  await told("The profile is duplicated.");
  const [file] = await Promise.all([page.waitForEvent("download"), press("Save as a file")]);
  assert.equal(file.suggestedFilename(), "profile-1.troupe");
  await page.getByLabel("Profile file").setInputFiles(await file.path());
  await told(/The profile is imported/);
  const all = await profiles();
  assert.equal(all.length, 3);
  for (const one of all) assert.deepEqual(await cookiesOf(one.id), ["before"], one.name);
  await page.getByLabel("Profile file").setInputFiles({
    name: "bad.troupe",
    mimeType: "application/octet-stream",
    buffer: Buffer.from("no archive"),
  });
  await told(/invalid request/);
  assert.equal((await profiles()).length, 3);
});

test("the pictures that a run kept are shown, and its files can be saved", async () => {
  const source = `export default async function run({ page, scratchDir }) {
    await page.setContent("<h1>Kept</h1>");
    await page.screenshot({ path: scratchDir + "/kept one.png" });
  }`;
  const { scriptId } = (await client().post("/v1/scripts", { name: "p.ts", source })).body as {
    scriptId: string;
  };
  const body = { script_id: scriptId, profile_ids: [id], headless: true };
  const runId = ((await client().post("/v1/scripts/run", body)).body as { id: string }).id;
  await until("the run has ended", async () => {
    const { body } = await client().get(`/v1/runs/${runId}`);
    return (body as { status: string }).status === "completed";
  });
  await page.goto(`${control.base}#/runs/${runId}`);
  await page.getByText("Files (1)").click();
  const picture = page.getByAltText("kept one.png");
  await picture.waitFor();
  await until("the picture is loaded", async () =>
    picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 100),
  );
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save kept one.png" }).click(),
  ]);
  assert.equal(file.suggestedFilename(), "kept one.png");
  assert.deepEqual(
    control.troubles.filter((text) => !text.includes("400")),
    [],
  );
});
