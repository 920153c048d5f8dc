/** The order of checks on a request, over real HTTP, for every route of the API. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { request } from "undici";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import { routes } from "../../gateway/routes/all.ts";
import type { Reply } from "./client.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
let readToken: string;
before(async () => {
  app = await startTestService();
  const instance = readInstance(app.dataDir);
  assert.ok(instance);
  readToken = (await connectApp(instance).mintToken({ name: "reader", access: "read" })).token;
});
after(() => app.stop());

const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, () => randomUUID());
const errorOf = (reply: Reply) => (reply.body as { error: string }).error;

test("a Host that is not loopback answers 403 with an empty body, before all other checks", async () => {
  for (const host of ["example.com", "127.0.0.1:1", "troupe.localhost"]) {
    const reply = await app.client.get("/v1/profiles", { headers: { host }, token: null });
    assert.deepEqual([reply.status, reply.body], [403, undefined], host);
  }
});

test("the API answers on ::1 too, on the same port", async () => {
  const url = new URL("/v1/capacity", String(app.service.apiUrl).replace("127.0.0.1", "[::1]"));
  const reply = await request(url, { headers: { authorization: `Bearer ${app.token}` } });
  assert.equal(reply.statusCode, 200);
  await reply.body.dump();
});

for (const route of routes) {
  const call = (ask: Parameters<typeof app.client.call>[2]) =>
    app.client.call(route.method, pathOf(route.path), ask);

  test(`${route.id} without a token, or with an unknown one, answers 401 with an empty body`, async () => {
    for (const token of [null, "wrong", ""]) {
      const reply = await call({ token });
      assert.deepEqual([reply.status, reply.body], [401, undefined]);
    }
  });

  test(`${route.id} answers a read token ${route.access === "read" ? "" : "with 403"}`, async () => {
    const reply = await call({ token: readToken, ...(route.body === null ? {} : { body: {} }) });
    if (route.access === "read") assert.notEqual(reply.status, 403);
    else {
      assert.equal(reply.status, 403);
      assert.match(errorOf(reply), /may only read/);
    }
  });

  test(`${route.id} with an unknown key answers 400 and names it`, async () => {
    const reply =
      route.method === "GET"
        ? await app.client.get(`${pathOf(route.path)}?colour=red`)
        : await call({ body: { colour: "red" } });
    assert.equal(reply.status, 400);
    assert.match(errorOf(reply), /^invalid request: unknown key colour/);
  });

  if (route.params === "IdParams") {
    test(`${route.id} with an id that is not a uuid answers 400 and names it`, async () => {
      for (const id of ["7", "urn:uuid:9c6d2f0e-7f3a-4f43-9e7f-0b0c53d5a6d1", "x".repeat(500)]) {
        const reply = await app.client.call(route.method, route.path.replace("{id}", id));
        assert.equal(reply.status, 400);
        assert.match(errorOf(reply), /^invalid request: id must be a uuid, got/);
      }
    });
  }
}

test("an unknown path answers 404 with a token and 401 without", async () => {
  const known = await app.client.get("/v1/nothing");
  assert.equal(known.status, 404);
  assert.equal(errorOf(known), "not found: there is no /v1/nothing in this API");
  assert.match(errorOf(await app.client.get("/capacity")), /its paths begin with \/v1, as in/);
  assert.equal((await app.client.get("/v1/nothing", { token: null })).status, 401);
});

test("a method that a path does not support answers 405 with Allow", async () => {
  const reply = await app.client.call("PUT", "/v1/profiles", { body: {} });
  assert.deepEqual([reply.status, reply.headers.allow], [405, "GET, POST"]);
});

test("a body that is not a JSON object answers 400 with the reason", async () => {
  for (const [rawBody, why] of [
    ["{count:1}", /must be a JSON object in UTF-8/],
    ["[1]", /got an array/],
    ["null", /got null/],
    [Buffer.from([0x7b, 0xff, 0x7d]), /must be a JSON object in UTF-8/],
  ] as const) {
    const reply = await app.client.post("/v1/profiles", undefined, { rawBody });
    assert.equal(reply.status, 400);
    assert.match(errorOf(reply), why);
  }
  assert.match(errorOf(await app.client.post("/v1/profiles")), /a JSON body is required/);
  const id = "00000000-0000-4000-8000-000000000000";
  const text = { rawBody: Buffer.from([0xe9]), headers: { "content-type": "text/plain" } };
  const latin = await app.client.post(`/v1/profiles/${id}/cookies`, undefined, text);
  assert.match(errorOf(latin), /the body must be text in UTF-8, got other bytes/);
});

test("a body over 16 MiB answers 413, with or without a content length", async () => {
  const rawBody = Buffer.alloc(16 * 1024 * 1024 + 1, 32);
  const reply = await app.client.post("/v1/profiles", undefined, { rawBody });
  assert.equal(reply.status, 413);
});

test("a pool or dataset that does not exist answers 404", async () => {
  for (const field of ["proxy_pool_id", "identity_dataset_id", "content_dataset_id"]) {
    const reply = await app.client.post("/v1/profiles", { count: 1, [field]: randomUUID() });
    assert.equal(reply.status, 404);
    assert.match(errorOf(reply), /^not found: .* does not exist/);
  }
});

test("launching or driving an unknown profile answers 409, stopping it 204", async () => {
  const id = randomUUID();
  const launch = await app.client.post(`/v1/profiles/${id}/launch`);
  assert.equal(launch.status, 409);
  assert.equal(errorOf(launch), `conflict: profile ${id} does not exist`);
  const snapshot = await app.client.get(`/v1/profiles/${id}/snapshot`);
  assert.equal(errorOf(snapshot), `conflict: profile ${id} does not exist`);
  assert.equal((await app.client.post(`/v1/profiles/${id}/stop`)).status, 204);
});

test("a verb without a required key takes no body, an empty one, and no unknown key", async () => {
  const path = `/v1/profiles/${randomUUID()}`;
  for (const verb of ["back", "forward", "reload"]) {
    assert.match(errorOf(await app.client.post(`${path}/${verb}`)), /^conflict: profile .* does not exist$/);
    assert.match(
      errorOf(await app.client.post(`${path}/${verb}`, {})),
      /^conflict: profile .* does not exist$/,
    );
  }
  const stray = await app.client.post(`${path}/back`, { steps: 2 });
  assert.equal(errorOf(stray), "invalid request: unknown key steps; known keys are tab_id");
});

test("driving a profile that is not running answers 409, stopping it 204", async () => {
  const [id] = await createProfiles(app.client, 1);
  const reply = await app.client.post(`/v1/profiles/${id}/evaluate`, { expression: "1" });
  assert.equal(reply.status, 409);
  assert.equal(errorOf(reply), `conflict: profile ${id} is not running`);
  assert.equal((await app.client.post(`/v1/profiles/${id}/stop`)).status, 204);
});

test("a key that is given twice, at any depth, answers 400 with the key; the same key in two objects is fine", async () => {
  const post = (rawBody: string, headers = {}) =>
    app.client.post("/v1/profiles", undefined, { rawBody, headers });
  for (const rawBody of [
    '{"count":1,"count":2}',
    '{"count":1,"tags":[{"a":1}],"\\u0063ount":2}',
    '{"x":[{"count":"}","count":null}]}',
    '{"a\\"":"\\\\","b":{"count":1, "count" : 2}}',
  ]) {
    const reply = await post(rawBody);
    assert.equal(reply.status, 400);
    assert.equal(errorOf(reply), "invalid request: the key count is given twice in the body", rawBody);
  }
  assert.match(errorOf(await post('{"x":[{"count":1},{"count":1}]}')), /unknown key x/);
});

const sentAs = (encoding: string, rawBody: string | Buffer) =>
  app.client.post("/v1/profiles", undefined, { rawBody, headers: { "content-encoding": encoding } });

test("a gzip body is unpacked, and checked as any other", async () => {
  const reply = await sentAs("gzip", gzipSync('{"count":1,"name_template":"Packed"}'));
  assert.equal(reply.status, 200);
  assert.match(JSON.stringify(reply.body), /Packed/);
  const twice = await sentAs("GZIP", gzipSync('{"count":1,"count":2}'));
  assert.equal(errorOf(twice), "invalid request: the key count is given twice in the body");
});

test("a gzip body that unpacks to more than 16 MiB answers 413", async () => {
  const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024, 32));
  assert.equal((await sentAs("gzip", bomb)).status, 413);
});

test("a body that is no complete gzip, or has another encoding, answers 400 with the reason", async () => {
  for (const body of ["{}", gzipSync('{"count":1}').subarray(0, 20)]) {
    const reply = await sentAs("gzip", body);
    assert.equal(reply.status, 400);
    assert.match(errorOf(reply), /not complete gzip/);
  }
  const other = await sentAs("br", "{}");
  assert.equal(other.status, 400);
  assert.equal(errorOf(other), 'invalid request: Content-Encoding must be gzip or left out, got "br"');
});

test("a charset that is not UTF-8 answers 400 with its name", async () => {
  const post = (type: string) =>
    app.client.post("/v1/profiles", undefined, { rawBody: '{"count":0}', headers: { "content-type": type } });
  const reply = await post('application/json; Charset="ISO-8859-1"');
  assert.equal(reply.status, 400);
  assert.equal(
    errorOf(reply),
    'invalid request: the charset of Content-Type must be utf-8, got "ISO-8859-1"',
  );
  assert.match(errorOf(await post("application/json; charset=UTF-8")), /count must be/);
});

test("a name that nobody can see, or with control characters, answers 400 with its field", async () => {
  for (const name of [" ", "\u200b", "\u00a0\u3164", "a\u0000", "a\r\nb", "\u001b[2J"]) {
    for (const [path, body, field] of [
      ["/v1/profiles", { count: 1, name_template: name }, "name_template"],
      ["/v1/scripts", { name, source: "export default async function run() {}" }, "name"],
      ["/v1/proxy-pools", { name, lines: ["127.0.0.1:1"] }, "name"],
    ] as const) {
      const reply = await app.client.post(path, body);
      assert.equal(reply.status, 400, path);
      assert.match(errorOf(reply), new RegExp(`^invalid request: ${field} must `));
    }
  }
  const emoji = await app.client.post("/v1/profiles", {
    count: 1,
    name_template: "\u{1f469}\u200d\u{1f4bb} {n}",
  });
  assert.equal(emoji.status, 200);
});
