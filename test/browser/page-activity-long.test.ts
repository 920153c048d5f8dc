/** The control page's activity: events as they come, by kind and profile, and the service's state in the header. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";
import { actsOn } from "./fixture/page-acts.ts";

let control: ControlPage;
let page: Page;
let acts: ReturnType<typeof actsOn>;
let ids: string[];
before(async () => {
  control = await openControlPage({ browsersMax: 2 });
  ({ page } = control);
  acts = actsOn(control);
  ids = await createProfiles(control.running.client, 2);
});
after(() => control.close());

const state = () => page.locator("header .state");
const profile = () => page.getByRole("combobox", { name: "Profile" });
const rows = () => page.locator("tbody tr");
const patch = (at: number, body: object) =>
  control.running.client.call("PATCH", `/v1/profiles/${ids[at]}`, { body });

test("the page says what it is for while nothing has happened, then shows what happens", async () => {
  await acts.visit("activity");
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await patch(0, { name: "Baker" });
  const changed = acts.row("Profile changed").filter({ hasText: "Baker" }).first();
  await changed.waitFor();
  const { client } = control.running;
  assert.equal((await client.post(`/v1/profiles/${ids[0]}/launch`, { headless: true })).status, 200);
  const running = acts.row("Profile status").filter({ hasText: "running" }).first();
  await running.waitFor();
  await state().getByText("1 of 2 browsers").waitFor();
  assert.ok(asked.filter((path) => path === "/v1/events").length <= 1, "events come over one stream");
  await running.getByRole("link", { name: "Baker" }).click();
  await page
    .getByRole("complementary", { name: "Profile" })
    .getByRole("heading", { name: "Baker" })
    .waitFor();
});

test("a profile's panel leads to its events, and the kind narrows them", async () => {
  await patch(1, { name: "Smith" });
  await page.getByRole("link", { name: "Activity" }).last().click();
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await acts.row("Baker").first().waitFor();
  assert.equal(await rows().filter({ hasText: "Smith" }).count(), 0);
  assert.equal(await profile().inputValue(), "Baker");
  await page.getByLabel("Kind").selectOption("profile.status");
  await acts.row("Profile changed").first().waitFor({ state: "detached" });
  await acts.row("Profile status").first().waitFor();
  await page.getByLabel("Kind").selectOption("run.ended");
  await page.getByText("No such event yet").waitFor();
  await page.getByLabel("Kind").selectOption("");
  await profile().fill("Smith");
  await acts.row("Smith").first().waitFor();
  assert.equal(await rows().filter({ hasText: "Baker" }).count(), 0);
  await profile().fill("");
  await acts.row("Baker").first().waitFor();
  await control.checkAccess();
});

test("after an interruption the page shows what it missed, none twice", async () => {
  const { events } = control.running.service.actors;
  const stored = async () =>
    (await events.recent(() => true, null, 1_000)).map(({ event }) => event.at).reverse();
  const times = () =>
    page.evaluate<string[]>("[...document.querySelectorAll('tbody time')].map((one) => one.dateTime)");
  await acts.visit("profiles");
  await page.route("**/v1/events?*", (route) => route.abort());
  await acts.visit("activity");
  await acts.row("Profile changed").first().waitFor();
  const before = await times();
  for (const name of ["Miller", "Cooper"]) assert.equal((await patch(1, { name })).status, 200);
  assert.deepEqual(await times(), before);
  await page.unroute("**/v1/events?*");
  await until("the page shows them", async () => (await times()).length > before.length);
  await until("the page shows each", async () => (await times()).join() === (await stored()).join());
});

test("the header shows on every page how many browsers run, what waits, and whether the API is on", async () => {
  const { client, service } = control.running;
  const source = "export default async function run({ sleep }) {\n  await sleep(600_000);\n}\n";
  const { scriptId } = (await client.post("/v1/scripts", { name: "Long", source })).body as {
    scriptId: string;
  };
  await service.actors.library.approveScript({ scriptId, sha256: null });
  await state().getByText("1 of 2 browsers").waitFor();
  assert.equal((await client.post(`/v1/profiles/${ids[1]}/launch`, { headless: true })).status, 200);
  await state().getByText("2 of 2 browsers").waitFor();
  const profile_ids = await createProfiles(client, 2);
  const { status, body } = await client.post("/v1/scripts/batch", { script_id: scriptId, profile_ids });
  assert.equal(status, 200, JSON.stringify(body));
  await state().getByRole("link", { name: "2 waiting" }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  const { id } = body as { id: string };
  assert.equal((await client.post(`/v1/runs/${id}/cancel`)).status, 200);
  await state().getByText("2 waiting").waitFor({ state: "detached" });
  for (const stopped of ids) await client.post(`/v1/profiles/${stopped}/stop`);
  await state().getByText("0 of 2 browsers").waitFor();
  await state().getByRole("link", { name: "API on" }).click();
  await page.getByRole("switch", { name: "The API is on" }).click();
  await state().getByText("API off").waitFor();
});

test("the page reports no error but the interruption", () =>
  assert.deepEqual(
    control.troubles.filter((trouble) => !trouble.includes("net::ERR_FAILED")),
    [],
  ));
