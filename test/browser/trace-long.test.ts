/** `troupe trace` on a real browser: our commands and a client's are in the file, typed text and cookies are not. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { trace } from "../../gateway/cli/trace-command.ts";
import { command } from "../gateway/in-process.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";

const typed = "typed-by-the-user";
const cookie = "value-of-the-cookie";
const site = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html", "set-cookie": `sid=${cookie}` });
  response.end("<title>Form</title><input id=field>");
});
let app: TestService;
let id = "";
let cdpUrl = "";
before(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  app = await startTestService();
  [id = ""] = await createProfiles(app.client, 1);
  const { status, body } = await app.client.post(`/v1/profiles/${id}/launch`, { headless: true });
  assert.equal(status, 200, JSON.stringify(body));
  ({ cdpUrl } = body as { cdpUrl: string });
});
after(async () => {
  await app.stop();
  site.closeAllConnections();
  site.close();
});

const post = (verb: string, body: object) => app.client.post(`/v1/profiles/${id}/${verb}`, body);
const url = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/?key=of-the-session`;

test("a trace has each message until Ctrl-C, without what is secret", async () => {
  const file = join(app.dataDir, "trace.jsonl");
  const tracing = command("trace", id, "--data", app.dataDir, "-o", file, "--json");
  const text = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  await until("the trace begins", () => existsSync(file));
  await post("navigate", { url: url() });
  const { body } = await post("wait-for-element", { selector: "#field" });
  const { node_id } = body as { node_id: number };
  assert.equal((await post("type", { node_id, text: typed })).status, 200);
  const browser = await chromium.connectOverCDP(cdpUrl);
  await browser.contexts()[0]?.cookies();
  await browser.contexts()[0]?.pages()[0]?.locator("#field").fill(`${typed} again`);
  await browser.close();
  await until("a client's command is in it", () => text().includes('"method":"Storage.getCookies"'));
  process.emit("SIGINT");
  const { code, stdout, stderr } = await tracing;
  assert.equal(code, 0, stderr);
  const lines = text()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(Object.keys(lines.at(-1)), ["at", "end"]);
  assert.equal(JSON.parse(stdout).messages, lines.length - 1);
  const methods = new Set(lines.map(({ method, direction }) => `${direction} ${method}`));
  for (const method of ["sent Page.navigate", "received Page.navigate", "received Page.frameNavigated"])
    assert.ok(methods.has(method), method);
  for (const hidden of [typed, cookie, "of-the-session"]) assert.ok(!text().includes(hidden), hidden);
});

test("a full file ends the trace, and an existing one is not overwritten", async () => {
  const file = join(app.dataDir, "small.jsonl");
  const tracing = trace(id, { data: app.dataDir, output: file, json: true }, 2_000);
  await until("the trace ends", async () => {
    await post("navigate", { url: url() });
    return existsSync(file) && readFileSync(file, "utf8").includes('"end":');
  });
  await tracing;
  const text = readFileSync(file, "utf8");
  assert.match(text, /"end":"the file reached its limit of 0 MiB"}\n$/);
  assert.ok(text.length < 2_200);
  const again = await command("trace", id, "--data", app.dataDir, "-o", file);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /small\.jsonl exists already; name a new file with -o/);
});

test("a trace ends with its browser, and a profile that does not run has none", async () => {
  const file = join(app.dataDir, "ended.jsonl");
  const tracing = command("trace", id, "--data", app.dataDir, "-o", file);
  await until("the trace begins", () => existsSync(file));
  await post("stop", {});
  assert.match((await tracing).stdout, /messages in .*ended\.jsonl; .*profile .* is (stopping|not running)/);
  const { code, stderr } = await command("trace", id, "--data", app.dataDir, "-o", join(app.dataDir, "no"));
  assert.equal(code, 1);
  assert.match(stderr, /is not running/);
  assert.ok(!existsSync(join(app.dataDir, "no")));
});
