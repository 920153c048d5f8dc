/** Every page of the control page with something on it: it fits wide and narrow windows, and on a narrow one is open to everybody. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import type { Run } from "../../protocol/records.ts";
import type { Client } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";
import { actsOn } from "./fixture/page-acts.ts";

let control: ControlPage;
let page: Page;
let acts: ReturnType<typeof actsOn>;
/** The pages' names, addresses, and what shows that their records are read. */
const shown: [name: string, path: string, shows: string][] = [
  ["profiles", "profiles", "Profile 9"],
  ["running", "running", "% CPU"],
  ["scripts", "scripts", "Read the news"],
  ["script-new", "scripts/new", "No contract violations."],
  ["runs", "runs", "3 of 3"],
  ["activity", "activity", "Run of Checkout"],
  ["schedules", "schedules", "Every morning"],
  ["proxies", "proxies", "Europe"],
  ["datasets", "datasets", "Accounts"],
  ["api-full", "api", "127.0.0.1:9/troupe"],
  ["settings", "settings", "Concurrent browsers"],
];
before(async () => {
  control = await openControlPage({ browsersMax: 4 });
  ({ page } = control);
  acts = actsOn(control);
  await fill(control.running.client);
});
after(() => control.close());

async function make<Made>(client: Client, path: string, body: object): Promise<Made> {
  const reply = await client.post(path, body);
  assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`);
  return reply.body as Made;
}

/** The failures differ in a number, and some keep a picture. */
const checkout = `export default async function run({ page, profile, log, scratchDir }) {
  const number = Number(profile.name.split(" ")[1]);
  await page.setContent("<body style='font:40px sans-serif;margin:60px'><h1>Checkout</h1><p>Your cart is empty.");
  log.info("cart of", profile.name);
  if (number !== 2) {
    await page.screenshot({ path: scratchDir + "/checkout.png" });
    throw new Error("no button “Pay” after " + (5 + number) + " s");
  }
  throw new Error("the login was refused");
}
`;

async function fill(client: Client): Promise<void> {
  const ids = await createProfiles(client, 9);
  const { library } = control.running.service.actors;
  await library.editProfiles({ profileIds: ids.slice(0, 5), folder: "Shops", addTags: ["eu", "checkout"] });
  await library.editProfiles({ profileIds: ids.slice(5), folder: "News", addTags: ["us"] });
  const { scriptId } = await make<{ scriptId: string }>(client, "/v1/scripts", {
    name: "Checkout",
    source: checkout,
  });
  await library.approveScript({ scriptId, sha256: null });
  await make(client, "/v1/scripts", {
    name: "Read the news",
    source: "export default async function run() {}",
  });
  await make(client, "/v1/schedules", {
    name: "Every morning",
    script_id: scriptId,
    profile_ids: ids.slice(0, 3),
    schedule_type: "daily",
    daily_hour: 8,
    daily_minute: 30,
  });
  await make(client, "/v1/proxy-pools", {
    name: "Europe",
    lines: ["198.51.100.1:8080", "198.51.100.2:8080"],
  });
  await make(client, "/v1/datasets", {
    name: "Accounts",
    mode: "fixed",
    columns: [{ name: "email" }, { name: "password", secret: true }],
    rows: [{ email: "a@shop.example", password: "secret" }],
  });
  await make(client, "/v1/webhooks", { url: "http://127.0.0.1:9/troupe", types: ["run.ended"] });
  // A run's launches wait while the machine is busy; one by one these do not.
  for (const id of ids.slice(0, 3)) await make(client, `/v1/profiles/${id}/launch`, { headless: true });
  const { id } = await make<Run>(client, "/v1/scripts/run", {
    script_id: scriptId,
    profile_ids: ids.slice(0, 3),
    headless: true,
  });
  await until("the run has ended", async () => {
    const { status } = (await client.get(`/v1/runs/${id}`)).body as Run;
    return status !== "running";
  });
  shown.push(
    ["run-failures", `runs/${id}`, "the login was refused"],
    ["profile", `profiles/${ids[0]}`, "Time zone"],
    ["script", `scripts/${scriptId}`, "No contract violations."],
  );
}

test("no page is wider than its window, and each is open to everybody", async () => {
  for (const [name, path, shows] of shown) {
    await acts.visit(path);
    await page.getByRole("main").getByText(shows).first().waitFor();
    await control.shoot(`look-${name}`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      assert.ok(beyond <= 0, `${name} is ${beyond} px wider than ${width}`);
    }
    await control.checkAccess();
  }
});

test("the page reports no error", () => acts.noTroubles());
