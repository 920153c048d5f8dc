/** The control page's runs: twenty profiles to their end, table and file, retry of failed ones, cancel. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import type { Run } from "../../protocol/records.ts";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";

let window: ControlPage;
let page: Page;
let profileIds: string[];
const wholeLists: string[] = [];
before(async () => {
  window = await openControlPage();
  ({ page } = window);
  page.on("request", (request) => {
    if (request.method() === "GET" && request.url().endsWith("/v1/profiles")) wholeLists.push(page.url());
  });
  profileIds = await createProfiles(window.running.client, 20);
});
after(() => window.close());

const visit = (path: string) => page.goto(`${window.base}#/${path}`);

async function approved(name: string, body: string): Promise<string> {
  const source = `export default async function run({ page, profile, variables, log, output, sleep, scratchDir }) {\n${body}\n}\n`;
  const reply = await window.running.client.post("/v1/scripts", { name, source });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { scriptId } = reply.body as { scriptId: string };
  await window.running.service.actors.library.approveScript({ scriptId, sha256: null });
  return scriptId;
}
async function newestRun(): Promise<Run> {
  const [run] = await window.running.service.actors.library.listRuns({ scheduleId: null, limit: 1 });
  assert.ok(run);
  return run;
}

test("a run of twenty profiles is started and watched to its end", async () => {
  const scriptId = await approved(
    "Twenty",
    `  log.info("working on", profile.name);
  if (profile.name === "Profile 7" && variables.MODE !== "kind") {
    for (const name of ["early", "late"]) await page.screenshot({ path: scratchDir + "/" + name + ".png" });
    throw new Error("seven has refused");
  }
  output({ name: profile.name, quote: 'said "hi", and left', at: 1.5 });`,
  );
  await visit(`scripts/${scriptId}`);
  await page.getByRole("button", { name: "Run …" }).click();
  await page.getByRole("button", { name: "Select all 20" }).click();
  await page.getByLabel("Headless browsers").check();
  await page.getByLabel("Concurrent browsers").fill("3");
  await page.getByRole("button", { name: "Run on 20 profiles" }).click();
  await page.getByRole("heading", { name: "Run of Twenty" }).waitFor();
  const run = page.getByRole("region", { name: "Run", exact: true });
  await page.evaluate(`{
    globalThis.seen = new Set();
    new MutationObserver(() => {
      const bar = document.querySelector("section progress");
      if (bar !== null) seen.add(bar.value);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  }`);
  await page.locator("td .tag", { hasText: "running" }).first().waitFor();
  await window.shoot("run-going");
  await run.locator(".tag", { hasText: "partial" }).waitFor();
  const seen = await page.evaluate<number[]>("[...seen]");
  assert.ok(seen.length >= 5 && seen.includes(20), `the bar showed ${seen}`);
  await page.getByRole("button", { name: "Run again" }).click();
  await page.getByRole("button", { name: "Run on 20 profiles" }).waitFor();
  await page.keyboard.press("Escape");
  await run.getByText("20 of 20, 1 failed").waitFor();
  assert.equal(await page.locator("td .tag", { hasText: "completed" }).count(), 19);
  await page.getByText("seven has refused").first().waitFor();
  await page
    .getByRole("row", { name: /Profile 12/ })
    .getByText("Log, 1 line")
    .click();
  await page.getByText("working on Profile 12").waitFor();
  await window.checkAccess();
  await window.shoot("run-ended");
});

test("its output is shown as a table, and the exported file has every row", async () => {
  const output = page.getByRole("region", { name: "Output" });
  assert.deepEqual(await output.locator("th").allTextContents(), ["profile", "name", "quote", "at"]);
  assert.equal(await output.locator("tbody tr").count(), 19);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    output.getByRole("button", { name: "Export as CSV" }).click(),
  ]);
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [21, "profile,name,quote,at", ""]);
  assert.equal(lines[1], 'Profile 1,Profile 1,"said ""hi"", and left",1.5');
});

test("failures come first, by message, each with its last picture and log line", async () => {
  const failures = page.getByRole("region", { name: "Failures" });
  const group = failures.getByRole("region", { name: /seven has refused/ });
  await group.getByText("1 profile", { exact: true }).waitFor();
  await group.getByAltText("late.png of Profile 7").waitFor();
  await group.locator("code", { hasText: "working on Profile 7" }).waitFor();
  const all = page.getByRole("region", { name: "Profiles", exact: true });
  const [above, below] = [await failures.boundingBox(), await all.boundingBox()];
  assert.ok(above !== null && below !== null && above.y < below.y);
});

test("only the failed profiles are retried, with the run's variables or with other ones", async () => {
  const run = page.getByRole("region", { name: "Run", exact: true });
  const begun = async (act: () => Promise<unknown>) => {
    const first = (await newestRun()).id;
    await act();
    await page.waitForURL((url) => !url.hash.endsWith(first));
  };
  await begun(() => page.getByRole("button", { name: "Retry failed profiles (1)" }).click());
  await run.locator(".tag", { hasText: "failed" }).waitFor();
  assert.deepEqual((await newestRun()).profileIds, [profileIds[6]]);
  await page.getByRole("button", { name: "Retry Profile 7" }).click();
  await page.getByText("This starts with the variables that you enter here").waitFor();
  await page.getByLabel("Variables").fill("MODE=kind");
  await page.getByLabel("Headless browsers").check();
  await begun(() => page.getByRole("button", { name: "Run on 1 profile" }).click());
  await run.locator(".tag", { hasText: "completed" }).waitFor();
  const { profileIds: tried, source } = await newestRun();
  assert.deepEqual([tried, source], [[profileIds[6]], "app"]);
});

test("a script's last log lines are shown within a second while it runs", async (t) => {
  const scriptId = await approved(
    "Talker",
    `  for (let line = 1; line <= 250; line += 1) log.info("early", line);
  for (;;) {
    log.info("said at", Date.now());
    await sleep(300);
  }`,
  );
  await visit(`scripts/${scriptId}`);
  await page.getByRole("button", { name: "Run …" }).click();
  await page.getByRole("checkbox", { name: "Profile 1", exact: true }).check();
  await page.getByLabel("Headless browsers").check();
  await page.getByRole("button", { name: "Run on 1 profile" }).click();
  await page.getByRole("heading", { name: "Run of Talker" }).waitFor();
  const log = page.locator("td details pre");
  await log.getByText(/said at/).waitFor();
  // The newest line's age when it becomes visible; both sides use the same clock.
  await page.evaluate(`{
    globalThis.ages = new Map();
    new MutationObserver(() => {
      const said = document.querySelector("td details pre").textContent.split("said at ").at(-1);
      if (!ages.has(said)) ages.set(said, Date.now() - Number(said));
    }).observe(document.querySelector("td details"), { subtree: true, childList: true, characterData: true });
  }`);
  let ages: number[] = [];
  await until("twelve more lines", async () => {
    ages = await page.evaluate<number[]>("[...ages.values()]");
    return ages.length >= 12;
  });
  ages.sort((one, other) => one - other);
  t.diagnostic(`delay from the script's line to the page: ${ages.join(", ")} ms`);
  assert.ok((ages[6] ?? Infinity) < 1_000, `${ages.join(", ")} ms`);
  assert.equal((await log.textContent())?.split("\n").length, 200);
  await page.getByText(/^Log, 2\d\d lines/).waitFor();
  await window.shoot("run-log");
  await window.checkAccess();
  await page.getByRole("button", { name: "Cancel run" }).click();
  const run = page.getByRole("region", { name: "Run", exact: true });
  await run.locator(".tag", { hasText: "failed" }).waitFor();
  assert.match(
    (await log.textContent()) ?? "",
    /said at \d+\nerror: Error: the run was cancelled/,
    "the log is stored with the profile's result",
  );
});

test("a run is cancelled, and the list shows all runs", async () => {
  const scriptId = await approved("Long", "  await sleep(600_000);");
  const { actors } = window.running.service;
  const started = await actors.runs.start({
    scriptId,
    profileIds: profileIds.slice(0, 3),
    variables: {},
    headless: true,
    batch: true,
    concurrency: 1,
    staggerMs: 0,
    source: "agent",
    scheduleId: null,
  });
  await visit("runs");
  await page.getByRole("row", { name: /Long/ }).getByText("MCP agent").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 5);
  const scripts = () => page.locator("tbody td:first-child a").allTextContents();
  await page.getByRole("button", { name: "Script" }).click();
  assert.deepEqual(await scripts(), ["Long", "Talker", "Twenty", "Twenty", "Twenty"]);
  await page.getByRole("button", { name: "Script" }).click();
  assert.deepEqual(await scripts(), ["Twenty", "Twenty", "Twenty", "Talker", "Long"]);
  assert.equal(
    await page.getByRole("columnheader", { name: "Script" }).getAttribute("aria-sort"),
    "descending",
  );
  await window.checkAccess();
  await window.shoot("runs");
  await page.getByRole("link", { name: "Long" }).click();
  await page.waitForURL((url) => url.hash.endsWith(started.id));
  await page.locator("td .tag", { hasText: "running" }).waitFor();
  await page.getByRole("button", { name: "Cancel run" }).click();
  const run = page.getByRole("region", { name: "Run", exact: true });
  await run.locator(".tag", { hasText: "failed" }).waitFor();
  assert.equal(await page.locator("td .tag", { hasText: "skipped" }).count(), 2);
});

test("names and choices of profiles come from the page's own data, without reading the whole list again", () =>
  assert.deepEqual(wholeLists, []));

test("the page reports no error", () => assert.deepEqual(window.troubles, []));
