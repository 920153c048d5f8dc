/** The control page in a real Chromium: its one-time link, its protection from other origins, and its functions. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { request } from "undici";
import { findChromium } from "../../gateway/machine.ts";
import { createClient } from "../gateway/client.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { checkAccess, shoot } from "./fixture/control-page.ts";

let running: TestService;
let browser: Browser;
let page: Page;
let base: string;
const troubles: string[] = [];
before(async () => {
  running = await startTestService();
  base = new URL("/", running.service.appUrl).href;
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: findChromium(), args });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  await page.goto(running.service.appUrl);
  await page.getByRole("heading", { level: 1 }).waitFor();
});
after(async () => {
  await browser.close();
  await running.stop();
});

const get = (path: string, headers: Record<string, string> = {}) => request(new URL(path, base), { headers });

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  request(new URL(path, base), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

async function session(): Promise<Record<string, string>> {
  const secret = await page.evaluate<string | null>('sessionStorage.getItem("troupe-session")');
  assert.ok(secret);
  return { "x-troupe-session": secret };
}

test("the link works once; without a session, only the page's own files are served", async () => {
  const { hash } = new URL(running.service.appUrl);
  assert.equal(new URL(page.url()).hash, "", "the key is no longer in the address");
  assert.equal((await post("/session", { key: hash.replace("#key=", "") })).statusCode, 401);
  for (const path of ["/session", "/events", "/v1/profiles", "/live/running"]) {
    const reply = await get(path);
    assert.equal(reply.statusCode, 401, path);
    await reply.body.dump();
  }
  const file = await get("/");
  assert.deepEqual([file.statusCode, file.headers["set-cookie"]], [200, undefined]);
});

test("another origin can read and write nothing, even with the session", async () => {
  const own = await session();
  assert.equal((await get("/v1/profiles", own)).statusCode, 200);
  const foreign = [
    { origin: "http://evil.example" },
    { origin: "http://127.0.0.1:1" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ];
  for (const headers of foreign) {
    const words = JSON.stringify(headers);
    assert.equal((await get("/v1/profiles", { ...own, ...headers })).statusCode, 403, words);
    assert.equal((await post("/v1/profiles", { count: 1 }, { ...own, ...headers })).statusCode, 403, words);
  }
  assert.equal((await get("/", { ...own, host: "rebound.example" })).statusCode, 403);
  assert.equal((await post("/v1/profiles", { count: 1 })).statusCode, 401, "no session");
  assert.equal((await post("/v1/profiles", { count: 1 }, { "x-troupe-session": "guessed" })).statusCode, 401);
  assert.equal(
    (await running.service.actors.library.listProfiles({ live: [] })).json.length,
    2,
    "an empty list",
  );
});

test("a server on another port of this machine receives none of the control page's secrets", async () => {
  const heard: string[] = [];
  const neighbour = createServer((asked, reply) => {
    heard.push(JSON.stringify(asked.headers));
    reply.setHeader("content-type", "text/html").end("<title>neighbour</title>");
  }).listen(0, "127.0.0.1");
  await once(neighbour, "listening");
  const secret = (await session())["x-troupe-session"] ?? "";
  const tab = await page.context().newPage();
  await tab.goto(`http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`);
  assert.equal(await tab.evaluate("sessionStorage.length + document.cookie.length"), 0);
  assert.ok(heard.length > 0 && !heard.join().includes(secret));
  assert.deepEqual(await page.context().cookies(), []);
  await tab.close();
  neighbour.close();
});

test("the session survives a reload and is shared with a second tab, but not with a window without a link", async () => {
  await page.reload();
  await page.getByRole("heading", { name: "Profiles", level: 1 }).waitFor();
  const second = await page.context().newPage();
  await second.goto(`${base}#/api`);
  await second.getByRole("switch", { name: "The API is on", checked: true }).waitFor();
  await second.close();
  const stranger = await browser.newContext();
  const alone = await stranger.newPage();
  await alone.goto(base);
  await alone.getByText("This link is missing or was already used").waitFor();
  await stranger.close();
});

test("the page cannot be framed, and loads only its own scripts and styles", async () => {
  const reply = await get("/");
  const policy = String(reply.headers["content-security-policy"]);
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-ancestors 'none'",
  ]) {
    assert.ok(policy.includes(rule), policy);
  }
  assert.equal(reply.headers["x-frame-options"], "DENY");
});

test("the user switches the API on, mints a token, uses it, and revokes it", async () => {
  await page.goto(`${base}#/api`);
  const api = page.getByRole("switch", { name: "The API is on" });
  await api.click();
  await page.getByText("Nothing outside this page").waitFor();
  await api.click();
  const address = await page.getByText(/^http:\/\/127\.0\.0\.1:\d+\/v1$/).textContent();
  assert.ok(address);
  await page.getByLabel("Name").fill("batch");
  await page.getByRole("button", { name: "Mint token" }).click();
  const token = await page.locator("[data-token]").textContent();
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await request(`${address}/profiles`, { headers })).statusCode, 200);
  await shoot(page, "api");
  await checkAccess(page);
  await page.getByRole("button", { name: "Done" }).click();
  assert.ok(!(await page.content()).includes(String(token)), "the token is shown once");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "Revoke batch" }).click();
  await page.getByText("Token batch is revoked.").waitFor();
  assert.equal((await request(`${address}/profiles`, { headers })).statusCode, 401);
});

test("the example programs of the page run unchanged, with a token and a profile filled in", async () => {
  await page.goto(`${base}#/api`);
  const shown = async (start: string) =>
    String(await page.locator("pre", { hasText: start }).first().textContent());
  const { token } = running;
  const curl = await shown("curl -H");
  const [, header, url] = /^curl -H "Authorization: (.+)" (\S+)$/.exec(curl) ?? assert.fail(curl);
  const client = await createClient(String(url).replace("/v1/profiles", ""), token); // After a restart, the API has another port.
  const [id = ""] = await createProfiles(client, 1);
  const authorization = String(header).replace("$TROUPE_TOKEN", token);
  assert.equal((await request(String(url), { headers: { authorization } })).statusCode, 200);

  const drive = '\nawait page.goto("data:text/html,<title>Seen</title>"); console.log(await page.title());';
  const playwright = (await shown('from "playwright-core"')).replace("PROFILE_ID", id);
  assert.equal(await runProgram(`${playwright}${drive}\nawait browser.close();`), "Seen");
  const profiles = (await client.get("/v1/profiles")).body as { cdpUrl?: string }[];
  const puppeteer = `const cdpUrl = ${JSON.stringify(profiles[0]?.cdpUrl)};\n${await shown('from "puppeteer-core"')}`;
  assert.equal(await runProgram(`${puppeteer}${drive}\nawait browser.disconnect();`), "Seen");

  const { mcpServers } = JSON.parse(await shown("mcpServers"));
  const { url: mcpUrl } = mcpServers.troupe;
  const refused = await request(mcpUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  assert.equal(refused.statusCode, 401, "the endpoint exists and requires a token");
  await client.post(`/v1/profiles/${id}/stop`);
  await client.close();
});

/** Runs a module and returns its output. The file is where Node finds the project's packages. */
async function runProgram(text: string): Promise<string> {
  await mkdir(".cache", { recursive: true });
  const file = join(".cache", `snippet-${process.pid}.mjs`);
  await writeFile(file, text);
  try {
    const env = { ...process.env, TROUPE_TOKEN: running.token };
    return (await promisify(execFile)(process.execPath, [file], { env })).stdout.trim();
  } finally {
    await rm(file);
  }
}

test("a setting is saved, and another window shows it by itself", async () => {
  const other = await page.context().newPage();
  await other.goto(`${base}#/settings`);
  const shown = other.getByLabel("Idle timeout");
  await shown.waitFor();
  await page.goto(`${base}#/settings`);
  await page.getByLabel("Idle timeout").fill("1h30m");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Settings are saved.").waitFor();
  await shoot(page, "settings");
  await checkAccess(page);
  await until("the other window shows it", async () => (await shown.inputValue()) === "1 h 30 min");
  assert.equal((await running.service.actors.library.readSettings({})).idleTimeoutSecs, 5_400);
  await other.close();
});

test("a duration that is not understood is refused with examples, and nothing is saved", async () => {
  const field = page.getByLabel("Script timeout per profile");
  assert.equal(await field.inputValue(), "30 min");
  for (const [text, words] of [
    ["30", /such as 500ms, 45s, 30m/],
    ["900ms", /At least 1 s/],
  ] as const) {
    await field.fill(text);
    assert.match(await page.evaluate<string>("document.activeElement.validationMessage"), words);
    await page.getByRole("button", { name: "Save" }).click();
  }
  assert.equal((await running.service.actors.library.readSettings({})).runProfileTimeoutMs, 1_800_000);
});

test("an unpacked extension is added by its directory, and removed", async () => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-extension-"));
  const manifest = { manifest_version: 3, name: "Notes", version: "1.0" };
  await writeFile(join(dir, "manifest.json"), JSON.stringify(manifest));
  await page.goto(`${base}#/settings`);
  await page.getByLabel("Directory").fill(join(dir, "none"));
  await page.getByRole("button", { name: "Add extension" }).click();
  await page.getByText(/there is no .*none/).waitFor();
  await page.getByLabel("Directory").fill(dir);
  await page.getByRole("button", { name: "Add extension" }).click();
  const row = page.getByRole("row", { name: /Notes 1\.0/ });
  await row.waitFor();
  await checkAccess(page);
  const [added] = await running.service.actors.library.listExtensions({});
  assert.equal(added?.name, "Notes");
  page.once("dialog", (dialog) => void dialog.accept());
  await row.getByRole("button", { name: "Remove" }).click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual(await running.service.actors.library.listExtensions({}), []);
  await rm(dir, { recursive: true });
});

test("no page reports an error", () => assert.deepEqual(troubles, []));
