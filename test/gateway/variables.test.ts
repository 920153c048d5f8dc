/** Stored variables: replaced as a whole, listed by name, encrypted on disk, never returned. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createProfiles, filesOf, startTestService, type TestService } from "./running.ts";

const secret = "correct-horse-battery-staple";
let dataDir: string;
let app: TestService;
let id: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-variables-"));
  app = await startTestService({ dataDir });
  [id = ""] = await createProfiles(app.client, 1);
});
after(async () => {
  await app.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const errorOf = (body: unknown) => (body as { error: string }).error;
const set = (variables: unknown, profile = id) =>
  app.client.post(`/v1/profiles/${profile}/variables`, { variables });
const listedNames = async () => {
  const profiles = (await app.client.get("/v1/profiles")).body as { id: string; variableNames: string[] }[];
  return profiles.find((profile) => profile.id === id)?.variableNames;
};

test("setting variables replaces all of them and returns only their names", async () => {
  assert.deepEqual((await set({ email: "a@b.example", password: secret })).body, {
    variableNames: ["email", "password"],
  });
  assert.deepEqual(await listedNames(), ["email", "password"]);
  assert.deepEqual((await set({ password: secret })).body, { variableNames: ["password"] });
  assert.deepEqual(await listedNames(), ["password"]);
});

test("an id is accepted in upper and lower case", async () => {
  assert.equal((await set({ password: secret }, id.toUpperCase())).status, 200);
  assert.equal((await app.client.post(`/v1/profiles/${id.toUpperCase()}/stop`)).status, 204);
});

test("an invalid name or an oversized value answers 400, is named and changes nothing", async () => {
  const bad = await set({ password: "new", "9lives": "x" });
  assert.equal(bad.status, 400);
  assert.match(errorOf(bad.body), /^invalid request: .*9lives/);
  const large = await set({ note: "x".repeat(64 * 1024 + 1) });
  assert.equal(large.status, 400);
  assert.match(errorOf(large.body), /note has 65537 bytes/);
  const number = await set({ note: 5 });
  assert.match(
    errorOf(number.body),
    /^invalid request: variables\.note must be a string; the value is not shown/,
  );
  assert.deepEqual(await listedNames(), ["password"]);
});

test("an unknown profile answers 404", async () => {
  const reply = await set({ a: "b" }, randomUUID());
  assert.equal(reply.status, 404);
});

test("no reply, file or log line contains a value", async () => {
  const runs = (await app.client.get("/v1/runs")).body;
  const profiles = (await app.client.get("/v1/profiles")).body;
  assert.ok(!JSON.stringify([runs, profiles]).includes(secret));
  const files = await filesOf(dataDir);
  assert.ok(files.length > 0);
  for (const { name, bytes } of files) assert.ok(!bytes.includes(secret), name);
  assert.ok(!app.log.join("").includes(secret));
});

test("the names persist across a restart", async () => {
  await app.stop();
  app = await startTestService({ dataDir, mint: "after" });
  assert.deepEqual(await listedNames(), ["password"]);
});
