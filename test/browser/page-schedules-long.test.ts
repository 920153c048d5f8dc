/** The control page's schedules: each type created by its form, the switch, running now, deleting. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Profile } from "../../protocol/records.ts";
import type { Schedule } from "../../protocol/schedules.ts";
import { createProfiles } from "../gateway/running.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";
import { actsOn } from "./fixture/page-acts.ts";

let window: ControlPage;
let page: Page;
let acts: ReturnType<typeof actsOn>;
let asked: string[];
before(async () => {
  window = await openControlPage();
  ({ page } = window);
  acts = actsOn(window);
  asked = acts.agree();
  const { client, service } = window.running;
  await createProfiles(client, 12);
  const source = "export default async function run() {}";
  const save = async (name: string) => {
    const { body } = await client.post("/v1/scripts", { name, source });
    return (body as { scriptId: string }).scriptId;
  };
  await service.actors.library.approveScript({ scriptId: await save("Morning round"), sha256: null });
  await save("Never read");
});
after(() => window.close());

const button = (name: string, within?: Locator) => acts.button(name, within);
const dialog = () => acts.dialog();
const row = (text: string) => acts.row(text);
const visit = (path: string) => acts.visit(path);

const timingLabels = ["Date and time", "Every", "Unit", "Time of day", "Day of the week", "Cron expression"];
const shownLabels = async () => {
  const labels = await dialog().locator("label.field > span").allTextContents();
  return labels.filter((label) => timingLabels.includes(label));
};
const types: { type: string; labels: string[]; fill(): Promise<unknown>; is: Partial<Schedule> }[] = [
  {
    type: "once",
    labels: ["Date and time"],
    fill: () => dialog().getByLabel("Date and time").fill("2040-05-06T07:08"),
    is: { runAt: new Date("2040-05-06T07:08").toISOString() },
  },
  {
    type: "interval",
    labels: ["Every", "Unit"],
    fill: () => dialog().getByLabel("Every", { exact: true }).fill("6"),
    is: { intervalMinutes: 6, intervalUnit: "hours" },
  },
  {
    type: "daily",
    labels: ["Time of day"],
    fill: () => dialog().getByLabel("Time of day").fill("08:30"),
    is: { dailyHour: 8, dailyMinute: 30 },
  },
  {
    type: "weekly",
    labels: ["Day of the week", "Time of day"],
    fill: () => dialog().getByLabel("Day of the week").selectOption("Friday"),
    is: { weeklyDay: 5, dailyHour: 9, dailyMinute: 0 },
  },
  {
    type: "cron",
    labels: ["Cron expression"],
    fill: () => dialog().getByRole("textbox", { name: "Cron expression" }).fill("30 8 * * mon-fri"),
    is: { cronExpr: "30 8 * * mon-fri" },
  },
];

test("schedules of each type are created with only that type's fields, for an approved script", async () => {
  const [first = "", second = ""] = (await acts.read<Profile[]>("/v1/profiles")).map(({ name }) => name);
  await visit("schedules");
  await page.getByText("No schedule yet").waitFor();
  for (const { type, labels, fill, is } of types) {
    await button("New schedule").click();
    await dialog().getByLabel("Name").fill(`Round ${type}`);
    const scripts = dialog().getByLabel("Script");
    await scripts.selectOption("Morning round");
    assert.ok(!(await scripts.textContent())?.includes("Never read"), "only approved scripts are offered");
    await dialog().getByLabel(/^Runs/).selectOption(type);
    assert.deepEqual(await shownLabels(), labels);
    await fill();
    await dialog().getByRole("checkbox", { name: first, exact: true }).check();
    await dialog().getByRole("checkbox", { name: second, exact: true }).check();
    if (type === "weekly") {
      await window.checkAccess();
      await window.shoot("schedule-form");
    }
    await button("Create schedule").click();
    await row(`Round ${type}`).waitFor();
    const made = (await acts.read<Schedule[]>("/v1/schedules")).find(({ name }) => name === `Round ${type}`);
    assert.deepEqual({ ...made, ...is, scheduleType: type, enabled: true }, made);
    assert.equal(made?.profileIds.length, 2);
    assert.ok(made.nextRun !== null);
  }
  await window.checkAccess();
  await window.shoot("schedules");
});

test("an invalid schedule is reported in the form, and nothing is created", async () => {
  await button("New schedule").click();
  await dialog().getByLabel("Name").fill("Never");
  await dialog().getByLabel("Script").selectOption("Morning round");
  await dialog().getByLabel(/^Runs/).selectOption("cron");
  await dialog().getByRole("textbox", { name: "Cron expression" }).fill("61 * * * *");
  await button("Select all 12").click();
  await button("Create schedule").click();
  await dialog().getByRole("alert").filter({ hasText: "“Cron expression”" }).waitFor();
  await button("Cancel").click();
  assert.equal((await acts.read<Schedule[]>("/v1/schedules")).length, types.length);
});

test("schedules are turned off and on, run now with the result shown, and deleted", async () => {
  const on = page.getByRole("switch", { name: "Round weekly is on" });
  await on.click();
  await row("Round weekly").getByRole("cell", { name: "off", exact: true }).waitFor();
  assert.equal(await on.getAttribute("aria-checked"), "false");
  await on.click();
  await row("Round weekly").getByRole("cell", { name: "off", exact: true }).waitFor({ state: "detached" });
  await button("Run Round weekly now").click();
  await row("Round weekly").getByText("completed").waitFor();
  const schedules = await acts.read<Schedule[]>("/v1/schedules");
  const ran = schedules.find(({ name }) => name === "Round weekly");
  assert.deepEqual([ran?.enabled, ran?.lastRunStatus], [true, "completed"]);
  await button("Delete Round cron").click();
  await row("Round cron").waitFor({ state: "detached" });
  assert.match(asked.join(), /Delete the schedule "Round cron"/);
  assert.equal((await acts.read<Schedule[]>("/v1/schedules")).length, types.length - 1);
});

test("a schedule is edited: the rest of it stays, and closing the form asks before it discards", async () => {
  const read = async () =>
    (await acts.read<Schedule[]>("/v1/schedules")).find(({ name }) => name.startsWith("Round interval"));
  const before = await read();
  await button("Edit Round interval").click();
  assert.equal(await dialog().getByLabel("Every", { exact: true }).inputValue(), "6");
  await dialog().getByLabel("Name").fill("Round interval two");
  await button("Save schedule").click();
  await row("Round interval two").waitFor();
  assert.deepEqual(await read(), { ...before, name: "Round interval two" });

  await button("Edit Round interval two").click();
  await dialog().getByLabel(/^Runs/).selectOption("daily");
  await dialog().getByLabel("Concurrent browsers").fill("2");
  acts.refuseNext();
  await page.keyboard.press("Escape");
  assert.equal(asked.at(-1), "Discard what you entered?");
  await button("Save schedule").click();
  await row("Round interval two").getByText("every day at 09:00").waitFor();
  assert.equal((await read())?.concurrency, 2);
});

test("a schedule whose script was changed says why it is skipped", async () => {
  const { service } = window.running;
  const script = (await service.actors.library.listScripts({})).find(({ name }) => name === "Morning round");
  const note = row("Round weekly").getByText("is not approved: runs are skipped");
  await row("Round weekly").getByRole("link", { name: "Morning round" }).waitFor();
  assert.equal(await note.count(), 0);
  const source = "export default async function run() { return 1; }";
  const scriptId = script?.id ?? "";
  await window.running.client.post("/v1/scripts", { name: "Morning round", source, script_id: scriptId });
  await note.waitFor();
});

test("times of day are in the service's time zone, which the form names beside the browser's", async () => {
  const context = await page.context().browser()?.newContext({ timezoneId: "Asia/Tokyo" });
  const there = await context?.newPage();
  assert.ok(there);
  await there.goto(window.running.service.appUrl.replace(/#.*/, ""));
  const session = await page.evaluate<string>('sessionStorage.getItem("troupe-session")');
  await there.evaluate(`sessionStorage.setItem("troupe-session", ${JSON.stringify(session)})`);
  await there.goto(`${window.base}#/schedules`);
  await there.reload();
  await there.getByRole("button", { name: "New schedule" }).click();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  await there.getByText(`on which Troupe runs: ${timeZone}. This page shows times in Asia/Tokyo.`).waitFor();
  await there.getByLabel(/^Runs/).selectOption("once");
  await there.getByText("In this browser's time zone: Asia/Tokyo.").waitFor();
  await context?.close();
});

test("the page reports no error", () => acts.noTroubles());
