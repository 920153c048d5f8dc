/** Logins outlive a browser that is killed, a service that is killed, and the last window closed by hand. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Profile } from "../../protocol/records.ts";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles, startTestService } from "../gateway/running.ts";
import { serve, until } from "../gateway/serve.ts";
import { openDisplay } from "./fixture/display.ts";

let seen = "";
const site = createServer((request, response) => {
  if (request.url === "/") seen = (request.headers.cookie ?? "").split("; ").sort().join("; ");
  if (request.url === "/login")
    response.setHeader("set-cookie", ["session=in; HttpOnly", "kept=1; Max-Age=9999"]);
  if (request.url === "/logout") response.setHeader("set-cookie", "session=; Max-Age=0");
  response.setHeader("content-type", "text/html");
  response.end("<!doctype html><title>Site</title>");
});
before(async () => {
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
});
after(() => {
  site.closeAllConnections();
  site.close();
});

/** One profile of a service, with what its directory keeps. */
async function profileOf(client: Client, dataDir: string) {
  const [id = ""] = await createProfiles(client, 1);
  const at = `/v1/profiles/${id}`;
  const kept = async () => {
    const dir = join(dataDir, "profiles", id);
    const files = await readdir(dir, { recursive: true });
    const file = files.find((name) => name.endsWith("Session Cookies.json"));
    return file === undefined ? "" : readFile(join(dir, file), "utf8");
  };
  return {
    at,
    kept,
    async launch(using = client, more: object = { headless: true }) {
      const { status, body } = await using.post(`${at}/launch`, more);
      assert.equal(status, 200, JSON.stringify(body));
      return body as { pid: number; headless?: true };
    },
    async visit(path: string, using = client): Promise<string> {
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`;
      assert.equal((await using.post(`${at}/navigate`, { url })).status, 200);
      return seen;
    },
    loggedIn: () => until("the login is on disk", async () => (await kept()).includes('"session"')),
    status: async () => (await client.get(at)).body as Profile,
  };
}

test("a killed browser's logins are there at the next launch, and after a logout they are not", async () => {
  const app = await startTestService();
  try {
    const one = await profileOf(app.client, app.dataDir);
    const killed = async () => {
      process.kill((await one.launch()).pid, "SIGKILL");
      await until("it has crashed", async () => (await one.status()).status === "crashed");
    };
    const { pid } = await one.launch();
    await one.visit("/login");
    await one.loggedIn();
    process.kill(pid, "SIGKILL");
    await until("it has crashed", async () => (await one.status()).status === "crashed");
    await killed(); // Nothing is lost by a browser that is killed before it has done anything.
    const { pid: again } = await one.launch();
    assert.equal(await one.visit("/"), "kept=1; session=in");
    await one.visit("/logout");
    await until("the logout is on disk", async () => !(await one.kept()).includes('"session"'));
    process.kill(again, "SIGKILL");
    await until("it has crashed", async () => (await one.status()).status === "crashed");
    await one.launch();
    assert.equal(await one.visit("/"), "kept=1");
    await app.client.post(`${one.at}/stop`);
  } finally {
    await app.stop();
  }
});

test("without the setting nothing is kept, and what was kept goes", async () => {
  const app = await startTestService();
  try {
    const one = await profileOf(app.client, app.dataDir);
    await one.launch();
    await one.visit("/login");
    await one.loggedIn();
    await app.client.post(`${one.at}/stop`);
    await app.client.call("PATCH", "/v1/settings", { body: { keep_session_cookies: false } });
    const { pid } = await one.launch();
    await one.visit("/login");
    assert.equal(await one.kept(), "");
    process.kill(pid, "SIGKILL");
    await until("it has crashed", async () => (await one.status()).status === "crashed");
    assert.equal(await one.kept(), "");
  } finally {
    await app.stop();
  }
});

test("closing the last window keeps the login, though Chromium deletes it then", async () => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-window-"));
  const display = await openDisplay(dir);
  const before = process.env.DISPLAY;
  if (display.env.DISPLAY?.startsWith(":")) process.env.DISPLAY = display.env.DISPLAY;
  const app = await startTestService();
  try {
    const one = await profileOf(app.client, app.dataDir);
    await one.launch(app.client, {});
    await one.visit("/login");
    await one.loggedIn();
    const { cdpUrl = "" } = await one.status();
    const [tab] = (await (await fetch(`${cdpUrl}/json/list`)).json()) as { id: string }[];
    await fetch(`${cdpUrl}/json/close/${tab?.id}`);
    // With a window it may have exited already.
    assert.equal((await app.client.post(`${one.at}/stop`)).status, 204);
    assert.match(await one.kept(), /"session"/);
    await one.launch();
    assert.equal(await one.visit("/"), "kept=1; session=in");
  } finally {
    await app.stop();
    if (before === undefined) delete process.env.DISPLAY;
    else process.env.DISPLAY = before;
    await display.close();
    await rm(dir, { recursive: true, force: true });
  }
});

test("logins outlive a killed service", async () => {
  const data = await mkdtemp(join(tmpdir(), "troupe-killed-"));
  try {
    const first = await serve(data, "--mint", "first");
    const client = await createClient(first.apiUrl, first.token);
    const one = await profileOf(client, data);
    await one.launch();
    await one.visit("/login");
    await one.loggedIn();
    await client.close();
    await first.end("SIGKILL");
    const second = await serve(data, "--mint", "second");
    const next = await createClient(second.apiUrl, second.token);
    await one.launch(next);
    assert.equal(await one.visit("/", next), "kept=1; session=in");
    await next.close();
    await second.end("SIGTERM");
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});
