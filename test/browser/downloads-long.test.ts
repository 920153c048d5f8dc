/** Downloads over REST: listed, waited for, read, deleted; kept over a restart of the profile; attached clients keep theirs. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "puppeteer-core";
import type { Download } from "../../protocol/downloads.ts";
import { command } from "../gateway/in-process.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

let app: TestService;
let site: Server;
let origin: string;
let path: string;
let id: string;
let slow: ServerResponse | null = null;
before(async () => {
  site = createServer((request, response) => {
    if (request.url === "/")
      return response.setHeader("content-type", "text/html").end("<title>Files</title>");
    response.setHeader("content-type", "application/octet-stream"); // Otherwise the browser waits for bytes to guess it from.
    response.setHeader("content-disposition", `attachment; filename*=UTF-8''${request.url?.slice(1)}`);
    if (request.url !== "/slow.bin") return response.end(`bytes of ${request.url}`);
    response.write("first half, ");
    slow = response;
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  app = await startTestService();
  [id = ""] = await createProfiles(app.client, 1);
  path = `/v1/profiles/${id}`;
  await launch();
});
after(async () => {
  await app.stop();
  site.closeAllConnections();
  site.close();
});

async function launch(): Promise<string> {
  const reply = await app.client.post(`${path}/launch`, { headless: true });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  await app.client.post(`${path}/navigate`, { url: `${origin}/` });
  return (reply.body as { cdpUrl: string }).cdpUrl;
}
const list = async () => (await app.client.get(`${path}/downloads`)).body as Download[];
const fetched = (of: string, query = "") =>
  fetch(new URL(`${path}/downloads/${of}${query}`, String(app.service.apiUrl)), {
    headers: { authorization: `Bearer ${app.token}` },
  });
const begin = (file: string) =>
  app.client.post(`${path}/evaluate`, { expression: `void (location.href = ${JSON.stringify(`/${file}`)})` });

/** Waits for the newest download of this name to be there. */
async function begun(name: string): Promise<Download> {
  for (;;) {
    const found = (await list()).findLast((download) => download.name === name);
    if (found !== undefined) return found;
  }
}

test("a file is listed with its name, and its bytes are waited for", async () => {
  await begin("B%C3%BCcher.csv");
  const { download_id: of } = await begun("Bücher.csv");
  const reply = await fetched(of, "?wait_ms=10000");
  assert.equal(reply.status, 200);
  assert.equal(await reply.text(), "bytes of /B%C3%BCcher.csv");
  assert.equal(
    reply.headers.get("content-disposition"),
    "attachment; filename=\"B_cher.csv\"; filename*=UTF-8''B%C3%BCcher.csv",
  );
  const [download] = await list();
  assert.deepEqual(
    { ...download, started_at: "" },
    {
      download_id: of,
      name: "Bücher.csv",
      url: `${origin}/B%C3%BCcher.csv`,
      state: "completed",
      size: 25,
      started_at: "",
    },
  );
});

test("one in progress is a conflict without wait_ms, and complete with it", async () => {
  await begin("slow.bin");
  const { download_id: of, state } = await begun("slow.bin");
  assert.equal(state, "in_progress");
  const early = await fetched(of);
  assert.deepEqual(
    [early.status, (await early.text()).includes("is in progress; give wait_ms")],
    [409, true],
  );
  const whole = fetched(of, "?wait_ms=10000");
  slow?.end("second half");
  assert.equal(await (await whole).text(), "first half, second half");
});

test("two files of one name are two, and deleting takes one away, cancelling it if it is in progress", async () => {
  await begin("same.txt");
  const { download_id: first } = await begun("same.txt");
  assert.equal((await fetched(first, "?wait_ms=10000")).status, 200);
  await begin("same.txt");
  let second = await begun("same.txt");
  while (second.download_id === first) second = await begun("same.txt");
  assert.equal((await fetched(second.download_id, "?wait_ms=10000")).status, 200);
  assert.equal((await app.client.call("DELETE", `${path}/downloads/${first}`)).status, 204);
  assert.equal((await fetched(first)).status, 404);
  assert.equal(await (await fetched(second.download_id)).text(), "bytes of /same.txt");

  slow = null;
  await begin("slow.bin");
  let going = await begun("slow.bin");
  while (going.state !== "in_progress") going = await begun("slow.bin");
  assert.equal((await app.client.call("DELETE", `${path}/downloads/${going.download_id}`)).status, 204);
  assert.ok(!(await list()).some(({ download_id }) => download_id === going.download_id));
});

test("the command writes a file, and the list is kept over a restart of the profile", async () => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-downloads-"));
  const before = await list();
  const [{ download_id: of } = { download_id: "" }] = before;
  await app.client.post(`${path}/stop`);
  await launch();
  assert.deepEqual(await list(), before);
  const file = join(dir, "books.csv");
  const { code, stderr } = await command("page", "read-download", id, of, "-o", file, "--data", app.dataDir);
  assert.equal(code, 0, stderr);
  assert.equal(await readFile(file, "utf8"), "bytes of /B%C3%BCcher.csv");
  await rm(dir, { recursive: true });
});

test("a client's downloads go where it says, and ours are ours again when it has left", async () => {
  await app.client.post(`${path}/stop`);
  const browserURL = await launch();
  const dir = await mkdtemp(join(tmpdir(), "troupe-client-"));
  const browser = await connect({ browserURL, defaultViewport: null });
  const session = await browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: dir,
    eventsEnabled: true,
  });
  const ended = new Promise<void>((resolve) => {
    session.on("Browser.downloadProgress", ({ state }) => state === "completed" && resolve());
  });
  await begin("theirs.txt");
  await ended;
  assert.equal(await readFile(join(dir, "theirs.txt"), "utf8"), "bytes of /theirs.txt");
  const { state, error } = await begun("theirs.txt");
  assert.deepEqual([state, error], ["failed", "an attached client has taken it to a directory of its own"]);
  await browser.disconnect();
  await rm(dir, { recursive: true });
  await begin("ours.txt");
  const { download_id: ours } = await begun("ours.txt");
  assert.equal(await (await fetched(ours, "?wait_ms=10000")).text(), "bytes of /ours.txt");
});
