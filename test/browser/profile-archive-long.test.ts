/** A login made on one service is there on another after export and import, and after duplicate and checkpoint, in real Chromium. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Checkpoint, ImportedProfile } from "../../protocol/profile-copies.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

let app: TestService;
let other: TestService;
let site: Server;
let origin: string;
before(async () => {
  [app, other] = await Promise.all([startTestService(), startTestService()]);
  site = createServer((request, response) => {
    if (request.url === "/login") response.setHeader("set-cookie", ["user=ada; Max-Age=99999", "session=1"]);
    response.setHeader("content-type", "text/html");
    response.end(`<title>${request.headers.cookie ?? "nobody"}</title>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
after(async () => {
  await Promise.all([app.stop(), other.stop()]);
  site.closeAllConnections();
  site.close();
});

const stored = `localStorage.getItem("note")`;
const inDatabase = `new Promise((resolve) => { const asked = indexedDB.open("db", 1); asked.onupgradeneeded = () => asked.result.createObjectStore("s"); asked.onsuccess = () => { const got = asked.result.transaction("s").objectStore("s").get("k"); got.onsuccess = () => resolve(got.result ?? null); }; })`;
const fill = `localStorage.setItem("note", "kept"); new Promise((resolve) => { const asked = indexedDB.open("db", 1); asked.onupgradeneeded = () => asked.result.createObjectStore("s"); asked.onsuccess = () => { const put = asked.result.transaction("s", "readwrite"); put.objectStore("s").put("row", "k"); put.oncomplete = () => { asked.result.close(); resolve(1); }; }; })`;

async function at<Value>(service: TestService, id: string, path: string, expression: string): Promise<Value> {
  const ask = async (verb: string, body: object) => {
    const reply = await service.client.post(`/v1/profiles/${id}/${verb}`, body);
    assert.ok(reply.status < 300, `${verb}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  await ask("launch", { headless: true });
  await ask("navigate", { url: origin + path });
  const { result } = (await ask("evaluate", { expression })) as { result: Value };
  await ask("stop", {});
  return result;
}

const everything = async (service: TestService, id: string) => {
  const expression = `(async () => [document.title.split("; ").sort().join(), ${stored}, await ${inDatabase}, navigator.hardwareConcurrency, screen.width])()`;
  return at<unknown[]>(service, id, "/", expression);
};

test("login, storage and device live on in an import, a duplicate and a checkpoint", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  await at(app, id, "/login", fill);
  const before = await everything(app, id);
  assert.deepEqual(before.slice(0, 3), ["session=1,user=ada", "kept", "row"]);

  const archive = (await app.client.get(`/v1/profiles/${id}/export`)).body as Buffer;
  const headers = { "content-type": "application/vnd.troupe.profile" };
  const reply = await other.client.post("/v1/profiles/import", undefined, { rawBody: archive, headers });
  assert.deepEqual(await everything(other, (reply.body as ImportedProfile).id), before);

  const copied = await app.client.post(`/v1/profiles/${id}/duplicate`, { with_state: true });
  const [twin] = (copied.body as CreateProfilesReply).created;
  assert.deepEqual(await everything(app, twin?.profile_id ?? ""), before);

  const checkpoint = (await app.client.post(`/v1/profiles/${id}/checkpoints`, { name: "in" }))
    .body as Checkpoint;
  await app.client.call("DELETE", `/v1/profiles/${id}/cookies`);
  await at(app, id, "/", "localStorage.clear()");
  assert.deepEqual((await everything(app, id)).slice(0, 2), ["nobody", null]);
  await app.client.post(`/v1/profiles/${id}/checkpoints/${checkpoint.checkpoint_id}/restore`);
  assert.deepEqual(await everything(app, id), before);
});

test("a running profile is refused, except by a checkpoint that restarts it", async () => {
  const [id = ""] = await createProfiles(app.client, 1);
  const path = `/v1/profiles/${id}`;
  await app.client.post(`${path}/launch`, { headless: true });
  for (const [method, verb, body] of [
    ["GET", "export", undefined],
    ["POST", "duplicate", { with_state: true }],
    ["POST", "checkpoints", { name: "x" }],
  ] as const) {
    const refused = await app.client.call(method, `${path}/${verb}`, body === undefined ? {} : { body });
    assert.match(JSON.stringify([refused.status, refused.body]), /409.*is running; stop it first/, verb);
  }
  assert.equal((await app.client.post(`${path}/checkpoints`, { name: "x", restart: true })).status, 200);
  const { status, headless } = Object((await app.client.get(path)).body);
  assert.deepEqual([status, headless], ["running", true]);
  await app.client.post(`${path}/stop`);
});
