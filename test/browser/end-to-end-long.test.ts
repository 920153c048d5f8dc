/** The whole service with real browsers: slots, refusals, kill and Ctrl-C. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { processesNaming, type Served, serve, until } from "../gateway/serve.ts";

interface Listed {
  id: string;
  status: string;
  cdpUrl?: string;
  headless?: true;
  lastUsed: string | null;
}

let data: string;
let site: Server;
let siteUrl: string;
before(async () => {
  data = await mkdtemp(join(tmpdir(), "troupe-service-"));
  site = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    if (request.url === "/login") response.setHeader("set-cookie", "login=kept; Max-Age=86400; Path=/");
    response.end(`<title>site</title><p id=cookie>${request.headers.cookie ?? "no cookie"}</p>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
after(async () => {
  site.closeAllConnections();
  site.close();
  await rm(data, { recursive: true, force: true });
});

const errorOf = (body: unknown) => (body as { error: string }).error;
const list = async (client: Client) => (await client.get("/v1/profiles")).body as Listed[];
const clientOf = (served: Served) => createClient(served.apiUrl, served.token);

test("a launch takes a slot, which a stop frees; a second launch and a full pool answer 409", async () => {
  const served = await serve(data, "--mint", "slots", "--max-browsers", "1", "--rate-limit", "0");
  const client = await clientOf(served);
  const [a, b] = await createProfiles(client, 2);
  const launched = await client.post(`/v1/profiles/${a}/launch`, { headless: true });
  assert.equal(launched.status, 200, JSON.stringify(launched.body));
  const { cdpUrl, pid, headless } = launched.body as { cdpUrl: string; pid: number; headless: true };
  assert.equal(headless, true);
  assert.ok(processesNaming(data).includes(pid));

  const running = (await list(client)).find((profile) => profile.id === a);
  assert.deepEqual([running?.status, running?.cdpUrl, running?.headless], ["running", cdpUrl, true]);
  assert.ok(running?.lastUsed);
  assert.deepEqual((await client.get("/v1/capacity")).body, {
    active: 1,
    max: 1,
    queued: 0,
    memory_short: false,
  });

  const twice = await client.post(`/v1/profiles/${a}/launch`);
  assert.equal(twice.status, 409);
  assert.match(errorOf(twice.body), /already running/);
  const full = await client.post(`/v1/profiles/${b}/launch`);
  assert.equal(full.status, 409);
  assert.match(errorOf(full.body), /pool is full: 1 of 1/);

  assert.equal((await client.post(`/v1/profiles/${a}/stop`)).status, 204);
  assert.deepEqual(processesNaming(join(data, "profiles", String(a))), []);
  assert.deepEqual((await client.get("/v1/capacity")).body, {
    active: 0,
    max: 1,
    queued: 0,
    memory_short: false,
  });
  const stopped = (await list(client)).find((profile) => profile.id === a);
  assert.deepEqual([stopped?.status, stopped?.cdpUrl, stopped?.headless], ["stopped", undefined, undefined]);
  const next = await client.post(`/v1/profiles/${b}/launch`);
  assert.equal(next.status, 200);
  assert.notEqual((next.body as { cdpUrl: string }).cdpUrl, cdpUrl);
  await client.close();
  assert.equal((await served.end("SIGTERM")).code, 0);
});

test("kill -9 of the service with 4 open browsers leaves no Chromium, lock or directory, and the service can start again at once", async () => {
  const served = await serve(data, "--mint", "kill", "--rate-limit", "0");
  const client = await clientOf(served);
  const ids = await createProfiles(client, 4);
  const launches = await Promise.all(ids.map((id) => client.post(`/v1/profiles/${id}/launch`)));
  assert.deepEqual(
    launches.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.ok(processesNaming(data).length >= 5);
  await client.close();
  await served.end("SIGKILL");
  await until("every Chromium has ended", () => processesNaming(data).length === 0);

  const again = await serve(data, "--mint", "again", "--rate-limit", "0");
  const next = await clientOf(again);
  const statuses = (await list(next)).filter(({ id }) => ids.includes(id)).map(({ status }) => status);
  assert.deepEqual(statuses, ["stopped", "stopped", "stopped", "stopped"]);
  assert.deepEqual(
    existsSync(join(data, "tmp"))
      ? readdirSync(join(data, "tmp")).filter((name) => !name.startsWith("template"))
      : [],
    [],
  );
  const relaunch = await next.post(`/v1/profiles/${ids[0]}/launch`);
  assert.equal(relaunch.status, 200, JSON.stringify(relaunch.body));
  await next.close();
  await again.end("SIGTERM");
  assert.deepEqual(processesNaming(data), []);
});

test("Ctrl-C ends the service and its browsers within 10 s, and logins are kept", async () => {
  const served = await serve(data, "--mint", "login", "--rate-limit", "0");
  const client = await clientOf(served);
  const [id] = await createProfiles(client, 1);
  await client.post(`/v1/profiles/${id}/launch`);
  const seen = await client.post(`/v1/profiles/${id}/navigate`, { url: `${siteUrl}/login` });
  assert.equal(seen.status, 200, JSON.stringify(seen.body));
  await client.close();
  assert.equal((await served.end("SIGINT")).code, 0);
  assert.deepEqual(processesNaming(data), []);

  const again = await serve(data, "--mint", "login-2", "--rate-limit", "0");
  const next = await clientOf(again);
  await next.post(`/v1/profiles/${id}/launch`);
  await next.post(`/v1/profiles/${id}/navigate`, { url: siteUrl });
  const { body } = await next.post(`/v1/profiles/${id}/evaluate`, { expression: "document.body.innerText" });
  assert.equal((body as { result: string }).result, "login=kept");
  await next.close();
  await again.end("SIGTERM");
});

test("a profile is stopped when no call names it for idle_timeout_secs; traffic on cdpUrl does not count", async () => {
  const served = await serve(data, "--mint", "idle", "--rate-limit", "0");
  const client = await clientOf(served);
  const [idle, never] = await createProfiles(client, 2);
  await client.post(`/v1/profiles/${never}/launch`, { idle_timeout_secs: 4_294_967_295 });
  const launched = await client.post(`/v1/profiles/${idle}/launch`, { idle_timeout_secs: 1 });
  const { cdpUrl } = launched.body as { cdpUrl: string };
  // Calls that name the profile count as use: in the path, also when refused, and in the body.
  const unassign = `/v1/datasets/${randomUUID()}/unassign`;
  for (const [call, status] of [
    [() => client.get(`/v1/profiles/${idle}/snapshot`), 200],
    [() => client.post(`/v1/profiles/${idle}/launch`), 409],
    [() => client.post(unassign, { profile_ids: [idle] }), 404],
  ] as const) {
    for (const at = performance.now(); performance.now() - at < 1_500; )
      assert.equal((await call()).status, status);
    assert.equal((await list(client)).find(({ id }) => id === idle)?.status, "running");
  }
  const stopped = await until("the idle profile is stopped", async () => {
    await fetch(`${cdpUrl}/json/list`).catch(() => null);
    return (await list(client)).find(({ id }) => id === idle)?.status === "stopped";
  });
  assert.ok(stopped > 700, `stopped after ${stopped} ms`);
  assert.equal((await list(client)).find(({ id }) => id === never)?.status, "running");
  assert.equal((await client.get("/v1/capacity")).status, 200);
  await client.close();
  await served.end("SIGTERM");
});

test("a diagnostic launch is marked in its reply, keeps no cookie and no directory, and is not recorded as a use", async () => {
  const served = await serve(data, "--mint", "diagnostic", "--rate-limit", "0");
  const client = await clientOf(served);
  const [id] = await createProfiles(client, 1);
  const launched = await client.post(`/v1/profiles/${id}/launch`, { diagnostic: true, headless: true });
  assert.equal((launched.body as { diagnostic?: true }).diagnostic, true);
  await client.post(`/v1/profiles/${id}/navigate`, { url: `${siteUrl}/login` });
  assert.equal(readdirSync(join(data, "tmp")).length, 1);
  await client.post(`/v1/profiles/${id}/stop`);
  assert.deepEqual(readdirSync(join(data, "tmp")), []);
  assert.equal(existsSync(join(data, "profiles", String(id))), false);
  const lastUsed = async () => (await list(client)).find((profile) => profile.id === id)?.lastUsed;
  assert.equal(await lastUsed(), null);
  await client.post(`/v1/profiles/${id}/launch`);
  assert.equal(typeof (await lastUsed()), "string");
  await client.post(`/v1/profiles/${id}/navigate`, { url: siteUrl });
  const { body } = await client.post(`/v1/profiles/${id}/evaluate`, {
    expression: "document.body.innerText",
  });
  assert.equal((body as { result: string }).result, "no cookie");
  await client.close();
  await served.end("SIGTERM");
});
