/** The control page's proxies: importing, testing with live results, assigning, rotating pools. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { ProxyPool } from "../../protocol/proxies.ts";
import type { Profile } from "../../protocol/records.ts";
import { type EchoService, startEcho } from "../actors/proxies/echo.ts";
import {
  deadUpstream,
  password,
  startNotingHttp,
  startNotingSocks,
  startSilent,
  type TestProxy,
  user,
} from "../actors/proxies/servers.ts";
import { createProfiles } from "../gateway/running.ts";
import { type ControlPage, openControlPage } from "./fixture/control-page.ts";
import { actsOn } from "./fixture/page-acts.ts";

let window: ControlPage;
let page: Page;
let acts: ReturnType<typeof actsOn>;
let paris: EchoService;
let denver: EchoService;
let french: TestProxy;
let american: TestProxy;
before(async () => {
  paris = await startEcho({ ip: "203.0.113.1", country: "FR", city: "Paris", timezone: "Europe/Paris" });
  denver = await startEcho({ ip: "203.0.113.2", country: "US", timezone: "America/Denver" });
  french = await startNotingHttp(paris.port);
  american = await startNotingSocks(denver.port);
  window = await openControlPage();
  ({ page } = window);
  acts = actsOn(window);
  acts.agree();
  const { client, service } = window.running;
  await service.actors.library.changeSettings({ settings: { echoUrls: ["http://echo.invalid/"] } });
  await createProfiles(client, 2);
});
after(async () => {
  await window.close();
  await Promise.all([paris, denver, french, american].map((server) => server.close()));
});

const button = (name: string, within?: Locator) => acts.button(name, within);
const dialog = () => acts.dialog();
const row = (text: string) => acts.row(text);
const visit = (path: string) => acts.visit(path);

const lineOf = ({ upstream: { type, host, port } }: TestProxy, secret = password) =>
  `${type}://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@${host}:${port}`;

test("proxies are imported from lines, and invalid lines are reported by number", async () => {
  const { host, port } = await deadUpstream("http");
  const lines = [
    "# two that work",
    lineOf(french),
    lineOf(american),
    "a.example:0",
    `${host}:${port}`,
    "nonsense",
    lineOf(french, "wrong"),
  ];
  await visit("proxies");
  await button("Import proxies").click();
  await dialog().getByLabel("Name").fill("Europe");
  await dialog().getByLabel("Proxies").fill(lines.join("\n"));
  await button("Import", dialog()).click();
  await dialog().getByText("Europe has 4 proxies.").waitFor();
  const left = await dialog().getByRole("listitem").allTextContents();
  assert.deepEqual(
    left.map((text) => text.split(":")[0]),
    ["line 4", "line 6"],
  );
  await window.shoot("proxies-imported");
  await dialog().getByRole("link", { name: "Open the pool" }).click();
  await row(String(port)).waitFor();
  assert.equal(await page.getByText("not tested", { exact: true }).count(), 4);
  assert.ok(!(await page.content()).includes(password), "no password is shown");
});

test("a test shows which proxies are alive, their speed and exit, and why others are dead", async () => {
  await button("Test every proxy").click();
  await page.getByText("2 alive · 2 dead").waitFor();
  await button("Test every proxy").waitFor();
  const [first, second, third, fourth] = await page.locator("tbody tr").allInnerTexts();
  assert.match(String(first), /alive.*\d+ ms.*203\.0\.113\.1.*Paris, FR, Europe\/Paris/s);
  assert.match(String(second), /socks5.*alive.*203\.0\.113\.2.*US, America\/Denver/s);
  assert.match(String(third), /dead \S+/);
  assert.match(String(fourth), /dead \S+/);
  assert.notEqual(third, fourth);
  await window.checkAccess();
  await window.shoot("pool");
});

test("each finding is shown as soon as it arrives", async (t) => {
  const silent = await startSilent("http");
  t.after(() => silent.close());
  const lines = [...Array.from({ length: 120 }, () => lineOf(french)), lineOf(silent)];
  const { library } = window.running.service.actors;
  const { pool } = await library.createProxyPool({ name: "Many", type: "http", lines });
  await visit(`proxies/${pool.id}`);
  await page.getByRole("heading", { name: "Many" }).waitFor();
  await button("Next").click();
  await page.getByText("101–121 of 121").waitFor();
  // All at once, because the silent proxy is measured for 10 s only.
  await Promise.all([
    button("Test every proxy").click(),
    page.getByText("120 of 121 tested").waitFor(),
    row(String(silent.upstream.port)).getByText("testing …").waitFor(),
  ]);
  assert.equal(await page.locator("tbody").getByText("alive", { exact: true }).count(), 20);
  await silent.close();
  await page.getByText("120 alive · 1 dead").waitFor();
  await row(String(silent.upstream.port)).getByText("dead").waitFor();
});

test("proxies are assigned to profiles; a profile that has one is refused without Replace", async () => {
  const [name = ""] = (await acts.read<Profile[]>("/v1/profiles")).map((one) => one.name);
  await visit("proxies");
  const assign = async (pool: string, force: boolean) => {
    await button(`Assign ${pool}`).click();
    await dialog().getByLabel("Search profiles").fill(name);
    await dialog().getByRole("checkbox", { name, exact: true }).check();
    if (force) await dialog().getByLabel("Replace a profile's current proxy").check();
    await button("Assign", dialog()).click();
  };
  await assign("Many", false);
  await dialog().waitFor({ state: "detached" });
  await assign("Europe", false);
  await dialog().getByRole("alert").filter({ hasText: "has a proxy already" }).waitFor();
  await window.shoot("assign");
  await button("Cancel").click();
  await assign("Europe", true);
  await dialog().waitFor({ state: "detached" });
  const [profile] = await acts.read<Profile[]>("/v1/profiles");
  const europe = (await acts.read<ProxyPool[]>("/v1/proxy-pools")).find((pool) => pool.name === "Europe");
  assert.equal(profile?.proxyPoolId, europe?.id);
});

test("rotating pools are created in the page; a pool that profiles use cannot be deleted", async () => {
  await button("New rotating pool").click();
  await dialog().getByLabel("Name").fill("Provider");
  await dialog().getByLabel("Gateway").fill("gateway.example:7000:customer:secret");
  await button("Create pool").click();
  await dialog().getByRole("alert").filter({ hasText: "{session}" }).waitFor();
  await dialog().getByLabel("Gateway").fill("gateway.example:7000:customer-{session}:secret");
  await button("Create pool").click();
  await row("Provider").getByText("rotating http").waitFor();
  await window.checkAccess();
  await window.shoot("proxies");
  await button("Delete Europe").click();
  await page.getByText("1 profile uses the proxy pool Europe").waitFor();
  await button("Delete Many").click();
  await row("Many").waitFor({ state: "detached" });
  const left = (await acts.read<ProxyPool[]>("/v1/proxy-pools")).map(({ name }) => name);
  assert.deepEqual(left, ["Europe", "Provider"]);
});

test("the page reports no error", () => acts.noTroubles());
