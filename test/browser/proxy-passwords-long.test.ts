/** A batch through proxies runs in their exits' zones, and no process, reply, log or file contains a password. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  password,
  portOf,
  startNotingHttp,
  startNotingSocks,
  type TestProxy,
  user,
} from "../actors/proxies/servers.ts";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { type Ended, type Served, serve, troupe, until } from "../gateway/serve.ts";

const wrong = "Wrong:0ne@%";
const forms = [password, wrong].flatMap((one) => [
  one,
  encodeURIComponent(one),
  encodeURI(one),
  JSON.stringify(one).slice(1, -1),
  Buffer.from(`${user}:${one}`).toString("base64"),
  Buffer.from(one).toString("base64"),
]);

const exit = { ip: "203.0.113.7", country: "JP", city: "Tokyo", timezone: "Asia/Tokyo" };

const leaks = (text: string) => forms.filter((form) => text.includes(form));

let data = "";
let served: Served;
let client: Client;
const replies: string[] = [];
const held: ServerResponse[] = [];
const site = createServer((request, response) => {
  if (request.url === "/hold") held.push(response);
  else if (request.url === "/echo") response.end(JSON.stringify(exit));
  else response.end("<title>Site</title>");
});
const proxies: TestProxy[] = [];
before(async () => {
  data = await mkdtemp(join(tmpdir(), "troupe-test-"));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  proxies.push(await startNotingHttp(portOf(site)), await startNotingSocks(portOf(site)));
  process.env.TROUPE_LOG = "debug"; // Everything that the service can log.
  served = await serve(data, "--mint", "test", "--rate-limit", "0");
  client = await createClient(served.apiUrl, served.token);
});
after(async () => {
  await client.close();
  await end();
  site.closeAllConnections();
  site.close();
  for (const proxy of proxies) await proxy.close();
  await rm(data, { recursive: true, force: true });
});

/** The service's output; it is ended once, by the test or afterwards. */
let said: Promise<Ended> | null = null;
function end(): Promise<Ended> {
  said ??= served.end("SIGTERM");
  return said;
}

async function post<T>(path: string, body: unknown, status = 200): Promise<T> {
  const reply = await client.post(path, body);
  replies.push(JSON.stringify(reply.body));
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body as T;
}

async function get<T>(path: string): Promise<T> {
  const reply = await client.get(path);
  replies.push(JSON.stringify(reply.body));
  return reply.body as T;
}

async function processTexts(): Promise<{ pid: string; text: string }[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const read = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "");
  return Promise.all(
    pids.map(async (pid) => ({ pid, text: (await read(pid, "cmdline")) + (await read(pid, "environ")) })),
  );
}

async function filesUnder(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function givePools([first = "", second = "", third = ""]: string[]): Promise<{ badId: string }> {
  const credentials = (word: string) => `${encodeURIComponent(user)}:${encodeURIComponent(word)}`;
  const lines = proxies.map(
    ({ upstream }) => `${upstream.type}://${credentials(password)}@127.0.0.1:${upstream.port}`,
  );
  const port = proxies[0]?.upstream.port;
  const good = await post<{ pool: { id: string } }>("/v1/proxy-pools", {
    name: "good",
    lines: [...lines, `nonsense ${wrong}`],
  });
  const bad = await post<{ pool: { id: string } }>("/v1/proxy-pools", {
    name: "bad",
    lines: [`http://${credentials(wrong)}@127.0.0.1:${port}`],
  });
  await post(`/v1/proxy-pools/${good.pool.id}/assign`, { profile_ids: [first, second] });
  await post(`/v1/proxy-pools/${bad.pool.id}/assign`, { profile_ids: [third] });
  return { badId: bad.pool.id };
}

let first = "";
let second = "";
let third = "";

async function keptExit(profileId: string): Promise<Record<string, unknown>> {
  const { geo } = await get<{ geo: Record<string, unknown> }>(`/v1/profiles/${profileId}/proxy`);
  const { ip, country, city, timezone } = geo;
  return { ip, country, city, timezone };
}

test("a launch through a proxy that refuses the password fails with that reason", async () => {
  [first = "", second = "", third = ""] = await createProfiles(client, 3);
  const { badId } = await givePools([first, second, third]);
  const asked = await troupe("proxy", "exit", "--echo-url", "http://echo.test/echo", "--data", data);
  assert.equal(asked.code, 0, asked.stderr);
  await post(`/v1/proxy-pools/${badId}/test`, undefined);
  const refused = await post<{ error: string }>(`/v1/profiles/${third}/launch`, {}, 409);
  assert.match(refused.error, /^conflict: the proxy 127\.0\.0\.1:\d+ refused the user name or password$/);
});

test("a batch runs in its exits' zone, the exits are stored, and no process receives a password", async () => {
  const source = `export default async ({ page }) => {
    await page.goto("http://plain.test/");
    return page.evaluate(() => fetch("/hold").then(() => new Date(0).getTimezoneOffset()));
  };`;
  const { scriptId } = await post<{ scriptId: string }>("/v1/scripts", { name: "s", source });
  const approved = await troupe("script", "approve", scriptId, "--data", data);
  assert.equal(approved.code, 0, approved.stderr);
  const profileIds = [first, second, third];
  const run = await post<{ id: string }>("/v1/scripts/batch", {
    script_id: scriptId,
    profile_ids: profileIds,
  });
  await until("both pages wait", () => held.length === 2);
  const processes = await processTexts();
  const own = processes.filter(({ text }) => text.includes(data));
  assert.ok(own.length > 10, `${own.length} processes of the service are found`); // Two browsers at least.
  const told = processes.filter(({ text }) => leaks(text).length > 0);
  assert.deepEqual(
    told.map(({ pid }) => pid),
    [],
  );
  for (const response of held) response.end("done");
  const status = async () => (await get<{ status: string }>(`/v1/runs/${run.id}`)).status;
  await until("the batch ends", async () => (await status()) !== "running");
  assert.equal(await status(), "partial");
  const { profiles } = await get<{ profiles: { profileId: string; result: unknown }[] }>(
    `/v1/runs/${run.id}/profiles`,
  );
  const results = new Map(profiles.map(({ profileId, result }) => [profileId, result]));
  assert.deepEqual(
    profileIds.map((id) => results.get(id)),
    [-540, -540, null],
  );
  assert.deepEqual([await keptExit(first), await keptExit(second)], [exit, exit]);
});

test("a launch stores its exit's current place", async () => {
  exit.city = "Osaka";
  await post(`/v1/profiles/${second}/launch`, {});
  assert.equal((await keptExit(second)).city, "Osaka");
  await post(`/v1/profiles/${second}/stop`, undefined, 204);
});

test("no reply, log or file contains a password", async () => {
  for (const path of ["/v1/profiles", "/v1/proxy-pools", `/v1/profiles/${third}/proxy`]) await get(path);
  assert.ok(replies.length > 15);
  assert.deepEqual(leaks(replies.join("\n")), []);
  const { code, stdout, stderr } = await end();
  assert.equal(code, 0);
  assert.ok(stderr.includes('"scope":"profile"')); // The log exists.
  assert.deepEqual(leaks(stdout + stderr), []);
  const files = await filesUnder(data);
  assert.ok(files.length > 3);
  for (const file of files) assert.deepEqual(leaks(await readFile(file, "latin1")), [], file);
});
