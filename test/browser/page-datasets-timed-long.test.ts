/** The control page's datasets: a CSV file of 10,000 rows imported, assigned, paged, appended to and reset. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Dataset, DatasetRowsReply } from "../../protocol/datasets.ts";
import type { Profile } from "../../protocol/records.ts";
import { createProfiles } from "../gateway/running.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";
import { actsOn } from "./fixture/page-acts.ts";
import { taskMs } from "./fixture/task-times.ts";

let window: ControlPage;
let page: Page;
let acts: ReturnType<typeof actsOn>;
before(async () => {
  window = await openControlPage();
  ({ page } = window);
  acts = actsOn(window);
  acts.agree();
  await createProfiles(window.running.client, 12);
});
after(() => window.close());

const button = (name: string, within?: Locator) => acts.button(name, within);
const dialog = () => acts.dialog();
const row = (text: string) => acts.row(text);
const visit = (path: string) => acts.visit(path);

const count = 10_000;
const lineOf = (at: number) => `person${at}@example.com,"pass, ""word"" ${at}",Town ${at}`;
const csv = (lines: string[]) => ({
  name: "accounts.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(`\ufeffemail,password,town\r\n${lines.join("\r\n")}\r\n`),
});

test("a dataset is created from a CSV file of 10,000 rows, with a preview, a progress bar, and bad rows by number", async () => {
  const lines = Array.from({ length: count }, (_, at) => lineOf(at + 1));
  lines.splice(6_999, 0, "too,few");
  let release = () => {};
  await visit("datasets");
  await page.getByText("No dataset yet").waitFor();
  await button("New dataset from CSV").click();
  await dialog().getByLabel("CSV file").setInputFiles(csv(lines));
  await dialog().getByText("accounts.csv: 10,000 rows, 3 columns; 1 row does not fit the header").waitFor();
  assert.ok(
    await dialog().getByLabel("password is secret").isChecked(),
    "a column named password is secret by default",
  );
  assert.equal(await dialog().getByText("pass, ").count(), 0, "a secret column is not in the preview");
  await dialog().getByText("person5@example.com").waitFor();
  await window.checkAccess();
  await window.shoot("dataset-preview");
  await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("Accounts");
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const more = "**/v1/datasets/*/rows";
  await page.route(more, (route) => held.then(() => route.continue()));
  await button("Import 10,000 rows").click();
  await dialog().getByText("1,000 of 10,000 rows sent").waitFor();
  const bar = dialog().getByRole("progressbar", { name: "Rows sent" });
  assert.deepEqual([await bar.getAttribute("value"), await bar.getAttribute("max")], ["1000", "10000"]);
  await window.shoot("dataset-upload");
  release();
  await dialog().getByText("10,000 rows were added.").waitFor();
  await page.unroute(more);
  assert.deepEqual(await dialog().getByRole("listitem").allTextContents(), [
    "row 7000: it has 2 cells, but the header has 3",
  ]);
  await dialog().getByRole("link", { name: "Show rows" }).click();
  await page.getByText("1–100 of 10,000").waitFor();
  const [dataset] = await acts.read<Dataset[]>("/v1/datasets");
  assert.deepEqual(
    [dataset?.name, dataset?.mode, dataset?.rows.total, dataset?.rows.unassigned],
    ["Accounts", "fixed", count, count],
  );
  assert.deepEqual(
    dataset?.columns.map(({ secret }) => secret),
    [false, true, false],
  );
});

test("a dataset is assigned, paged to the last row, and unassigned", async () => {
  await button("Assign to profiles").click();
  await button("Select all 12").click();
  await button("Assign", dialog()).click();
  await page.getByText("9,988 unassigned, 12 assigned · 12 profiles").waitFor();
  await row("person12@example.com").getByText("assigned", { exact: true }).waitFor();
  await window.checkAccess();
  await window.shoot("dataset");
  await button("Last").click();
  await page.getByText("9,901–10,000 of 10,000").waitFor();
  await row("person10000@example.com").waitFor();
  assert.ok(!(await page.content()).includes("pass, "), "a secret column is not shown");
  await button("Unassign").click();
  await button("Select all 12").click();
  await button("Unassign", dialog()).click();
  await page.getByText("10,000 unassigned, 0 assigned").waitFor();
});

test("a dataset grows by another file, whose columns are matched by name", async () => {
  const [dataset] = await acts.read<Dataset[]>("/v1/datasets");
  await button("Append CSV").click();
  const file = (text: string) => ({ name: "more.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await dialog().getByLabel("CSV file").setInputFiles(file("email;password\na@example.com;x\n"));
  await dialog().getByText("Missing: town").waitFor();
  assert.ok(await button("Import 1 row").isDisabled());
  await dialog().getByLabel("CSV file").setInputFiles(file('email,password\n"open'));
  await dialog().getByRole("alert").waitFor();
  const more = "town;note;email;password\nUlm;left out;late@example.com;x\n";
  await dialog().getByLabel("CSV file").setInputFiles(file(more));
  await button("Import 1 row").click();
  await dialog().getByText("1 row was added.").waitFor();
  await button("Done").click();
  await page.getByText("10,001 unassigned").waitFor();
  const last = await acts.read<DatasetRowsReply>(`/v1/datasets/${dataset?.id}/rows?offset=${count}`);
  assert.deepEqual(last.rows[0]?.values, { email: "late@example.com", town: "Ulm" });
});

test("a dataset of mode consume gives rows to a run, and a reset makes used rows available again", async () => {
  await visit("datasets");
  await button("New dataset from CSV").click();
  const posts = Array.from({ length: 30 }, (_, at) => `Post ${at}`);
  const buffer = Buffer.from(`title\n${posts.join("\n")}\n`);
  await dialog().getByLabel("CSV file").setInputFiles({ name: "posts.csv", mimeType: "text/csv", buffer });
  await dialog().getByLabel("consume").check();
  await dialog().getByLabel("Rows per profile and run").fill("3");
  await button("Import 30 rows").click();
  await dialog().getByText("30 rows were added.").waitFor();
  await button("Done").click();
  await row("posts").getByText("30 available, 0 reserved, 0 used").waitFor();
  const dataset = (await acts.read<Dataset[]>("/v1/datasets")).find(({ name }) => name === "posts");
  const [profile] = await acts.read<Profile[]>("/v1/profiles");
  const { client, service } = window.running;
  const source = "export default async function run() {}";
  const { body } = await client.post("/v1/scripts", { name: "Poster", source });
  const script_id = (body as { scriptId: string }).scriptId;
  await service.actors.library.approveScript({ scriptId: script_id, sha256: null });
  const ids = { script_id, profile_ids: [profile?.id] };
  await client.post(`/v1/datasets/${dataset?.id}/assign`, { profile_ids: ids.profile_ids });
  assert.equal((await client.post("/v1/scripts/run", { ...ids, headless: true })).status, 200);
  await row("posts").getByText("27 available, 0 reserved, 3 used").waitFor();
  await window.checkAccess();
  await window.shoot("datasets");
  await page.getByRole("link", { name: "posts" }).click();
  await button("Reset used rows").click();
  await page.getByText("30 available, 0 reserved, 0 used").waitFor();
});

test("a file of 10,000 rows is read, shown and sent without a long task", async (t) => {
  const wide = (at: number) =>
    [lineOf(at), ...Array.from({ length: 9 }, (_, more) => `value ${at}.${more}`)].join(",");
  const header = `email,password,town,${Array.from({ length: 9 }, (_, at) => `more${at}`).join(",")}`;
  const text = `${header}\n${Array.from({ length: count }, (_, at) => wide(at)).join("\n")}\n`;
  const folder = await mkdtemp(join(tmpdir(), "troupe-csv-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "wide.csv"); // On disk, because Playwright handles a buffer on the page's main thread.
  await writeFile(file, text);
  await visit("datasets");
  await button("New dataset from CSV").click();
  const tasks = await taskMs(
    page,
    async () => {
      await dialog().getByLabel("CSV file").setInputFiles(file);
      await dialog().getByText("wide.csv: 10,000 rows, 12 columns").waitFor();
      await dialog().getByRole("textbox", { name: "Name", exact: true }).fill("Wide");
      await button("Import 10,000 rows").click();
      await dialog().getByText("10,000 rows were added.").waitFor();
    },
    (words) => t.diagnostic(words),
  );
  const longest = tasks.sort((one, other) => other - one).slice(0, 5);
  t.diagnostic(
    `${tasks.length} tasks, the longest ${longest.map((ms) => ms.toFixed(1)).join(", ")} ms of CPU`,
  );
  assert.ok((longest[0] ?? Infinity) < 100, `the longest task took ${longest[0]} ms of CPU`);
  await button("Done").click();
});

test("the page reports no error", () => acts.noTroubles());
