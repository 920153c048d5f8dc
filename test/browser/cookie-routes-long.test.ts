/** Cookies over REST, and logins that last over stops: what a site gets is the outcome. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Cookie, CookiesReply } from "../../protocol/cookies.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";

let app: TestService;
let site: Server;
let seen: string;
let origin: string;
before(async () => {
  app = await startTestService();
  site = createServer((request, response) => {
    if (request.url === "/") seen = request.headers.cookie ?? "";
    const cookies = ["session=in; HttpOnly", "kept=1; Max-Age=9999"];
    if (request.url === "/login") response.setHeader("set-cookie", cookies);
    if (request.url === "/logout") response.setHeader("set-cookie", "session=; Max-Age=0");
    response.end("<title>Site</title>");
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
after(async () => {
  await app.stop();
  site.closeAllConnections();
  site.close();
});

const far = 1_999_999_999;
async function profile() {
  const [id = ""] = await createProfiles(app.client, 1);
  const at = `/v1/profiles/${id}`;
  const visit = async (path: string) => {
    await app.client.post(`${at}/launch`, { headless: true });
    await app.client.post(`${at}/navigate`, { url: origin + path });
    await app.client.post(`${at}/stop`);
    return seen;
  };
  const read = async (query = "") => {
    const { status, body } = await app.client.get(`${at}/cookies${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Cookie[];
  };
  const send = async (method: string, ask: object) => {
    const { status, body } = await app.client.call(method, `${at}/cookies`, ask);
    return { status, body: body as CookiesReply & { error: string } };
  };
  return { at, visit, read, send, names: async () => (await read()).map(({ name }) => name).sort() };
}

test("a login by a session cookie lasts over stops, and a logout too; without the setting it ends", async () => {
  const { visit, read } = await profile();
  await visit("/login");
  assert.deepEqual((await visit("/")).split("; ").sort(), ["kept=1", "session=in"]);
  assert.deepEqual(
    (await read()).map(({ name, expires, httpOnly }) => [name, expires > 0, httpOnly]),
    [
      ["session", false, true],
      ["kept", true, false],
    ].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
  );
  await visit("/logout");
  assert.equal(await visit("/"), "kept=1");
  await visit("/login");
  await app.client.call("PATCH", "/v1/settings", { body: { keep_session_cookies: false } });
  assert.equal(await visit("/"), "kept=1");
  await app.client.call("PATCH", "/v1/settings", { body: { keep_session_cookies: true } });
  assert.equal(await visit("/"), "kept=1", "what was kept before has gone");
});

test("cookies are added and replaced in every form, and a site gets them", async () => {
  const { visit, send, names } = await profile();
  const cookie = (name: string) => ({ name, value: "1", domain: "127.0.0.1", path: "/", expires: far });
  const array = await send("POST", { body: [cookie("array"), { name: 7 }] });
  assert.equal(array.body.taken, 1);
  assert.match(array.body.refused[0]?.error ?? "", /name must be a string/);
  await send("POST", { body: { cookies: [{ ...cookie("object"), expires: -1 }] } });
  const txt = `127.0.0.1\tFALSE\t/\tFALSE\t${far}\ttext\t1\n#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tonly\t1\n`;
  const text = await send("POST", { rawBody: txt, headers: { "content-type": "text/plain" } });
  assert.deepEqual(text.body, { taken: 2, refused: [] });
  assert.deepEqual(await names(), ["array", "object", "only", "text"]);
  assert.equal((await visit("/")).split("; ").length, 4);
  const put = await send("PUT", { body: { text: `127.0.0.1\tFALSE\t/\tFALSE\t${far}\tnew\t1` } });
  assert.deepEqual([put.body, await names()], [{ taken: 1, refused: [] }, ["new"]]);
  for (const [body, error] of [
    [{}, /must have cookies or text/],
    [{ cookies: [], text: "" }, /must have cookies or text/],
    [{ cookies: [1] }, /cookie 1 of 1: a cookie must be an object/],
    [{ text: "nonsense" }, /line 1: 1 fields/],
    [{ cookies: [], domain: "x" }, /unknown key domain/],
  ] as const) {
    const refused = await send("PUT", { body });
    assert.equal(refused.status, 400);
    assert.match(refused.body.error, error);
  }
  assert.deepEqual(await names(), ["new"], "a refused call changes nothing");
  assert.deepEqual([(await send("PUT", { body: [] })).body, await names()], [{ taken: 0, refused: [] }, []]);
});

test("reading and deleting are narrowed to a host; the cookies.txt that is read can be given back", async () => {
  const { at, read, send, names } = await profile();
  const of = (name: string, domain: string) => ({ name, value: "v", domain, path: "/", expires: far });
  await send("POST", {
    body: [of("a", ".shop.example"), of("b", "www.shop.example"), of("c", "myshop.example")],
  });
  assert.deepEqual((await read("?domain=shop.example")).map(({ name }) => name).sort(), ["a", "b"]);
  const { headers, body } = await app.client.get(`${at}/cookies?format=netscape`);
  assert.equal(headers["content-type"], "text/plain");
  assert.match(String(body), /^# Netscape HTTP Cookie File\n/);
  await app.client.call("DELETE", `${at}/cookies?domain=SHOP.example`);
  assert.deepEqual(await names(), ["c"]);
  await app.client.call("DELETE", `${at}/cookies`);
  assert.deepEqual(await names(), []);
  await send("POST", { rawBody: String(body), headers: { "content-type": "text/plain" } });
  assert.deepEqual((await read("?domain=.shop.example")).map(({ domain }) => domain).sort(), [
    ".shop.example",
    "www.shop.example",
  ]);
});

test("a partition is kept as it was read, in Playwright's and Puppeteer's form and with its site written otherwise", async () => {
  const { at, send, read } = await profile();
  const key = { topLevelSite: "https://top.example", hasCrossSiteAncestor: true };
  const in3 = { value: "v", domain: "shop.example", path: "/", expires: far, secure: true };
  const { topLevelSite, hasCrossSiteAncestor } = key;
  const wrote = await send("PUT", {
    body: [
      {
        ...in3,
        name: "playwright",
        partitionKey: topLevelSite,
        _crHasCrossSiteAncestor: hasCrossSiteAncestor,
      },
      { ...in3, name: "puppeteer", partitionKey: { sourceOrigin: topLevelSite, hasCrossSiteAncestor } },
      {
        ...in3,
        name: "www",
        partitionKey: { topLevelSite: "https://www.top.example:8443", hasCrossSiteAncestor },
      },
    ],
  });
  assert.deepEqual(wrote.body, { taken: 3, refused: [] });
  const keys = async () => (await read()).map(({ partitionKey }) => partitionKey);
  assert.deepEqual(await keys(), [key, key, key]);
  const { body: state } = await app.client.get(`${at}/storage-state`);
  await app.client.call("PUT", `${at}/storage-state`, { body: state });
  assert.deepEqual(
    await keys(),
    [key, key, key],
    "a storage state that is read and given back changes nothing",
  );
});

test("a cookie that the browser does not take says why", async () => {
  const { send } = await profile();
  const plain = { name: "a", value: "v", domain: "shop.example", path: "/", expires: far };
  const whys: [object, RegExp][] = [
    [{ path: "foo" }, /path must begin with "\/", got "foo"/],
    [{ name: "__Host-a", domain: ".shop.example", secure: true }, /__Host-, which needs .* without a dot/],
    [{ name: "__Secure-a" }, /__Secure-, which needs "secure": true/],
    [{ partitionKey: "https://top.example" }, /with partitionKey it needs "secure": true/],
    [{ domain: "::1" }, /an IPv6 address as \[::1\]/],
    [{ value: "v".repeat(5_000) }, /more than 4096 bytes/],
    [{ value: "a;b" }, /no semicolon/],
    [{ name: "twice" }, /a later one of the same name, domain and path replaces it/],
    [{ name: "twice", value: "w" }, /^$/],
  ];
  const { body } = await send("PUT", { body: whys.map(([odd]) => ({ ...plain, ...odd })) });
  const errors = new Map(body.refused.map(({ index, error }) => [index, error]));
  for (const [index, [, why]] of whys.entries()) assert.match(errors.get(index) ?? "", why);
  const jar = Array.from({ length: 200 }, (_, at) => ({ ...plain, name: `j${at}` }));
  const full = await send("PUT", { body: jar });
  assert.match(full.body.refused[0]?.error ?? "", /at most 180 cookies of a site/);
});
