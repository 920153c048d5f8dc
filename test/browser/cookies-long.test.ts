/** Cookies that are written to a browser are there afterwards, or named as refused. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deleteCookies, readCookies, replaceCookies, writeCookies } from "../../actors/profile/cookies.ts";
import type { OpenBrowser } from "../../actors/profile/open-browser.ts";
import type { Cookie } from "../../protocol/cookies.ts";
import { nobodyNames } from "./fixture/processes.ts";
import { makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";

let dir: string;
let browser: OpenBrowser;
before(async () => {
  dir = await makeDir();
  browser = await openTestBrowser(dir);
});
after(async () => {
  await browser.discard();
  await nobodyNames(dir);
  await removeDir(dir);
});

const far = 1_999_999_999;
const base: Cookie = {
  name: "a",
  value: "b",
  domain: "x.example",
  path: "/",
  expires: far,
  httpOnly: false,
  secure: false,
};

test("what the browser keeps is taken, in whatever form its domain was written, also beyond the year 5000", async () => {
  const given: Cookie[] = [
    base,
    { ...base, domain: ".X.Example", name: "dot" },
    { ...base, domain: "bücher.example", name: "idn" },
    { ...base, expires: 253_402_300_799, name: "late" },
    { ...base, expires: -1, name: "session" },
    { ...base, sameSite: "None", secure: true, name: "cross" },
    {
      ...base,
      secure: true,
      name: "part",
      partitionKey: { topLevelSite: "https://top.example", hasCrossSiteAncestor: false },
    },
  ];
  assert.deepEqual(await writeCookies(browser.connection.root, given), []);
  const names = (await readCookies(browser.connection.root)).map(({ name }) => name).sort();
  assert.deepEqual(names, given.map(({ name }) => name).sort());
});

test("what the browser drops without a word is refused by its index, and the others are there", async () => {
  const given: Cookie[] = [
    { ...base, name: "past", expires: 1_000_000 },
    { ...base, name: "fine" },
    { ...base, name: "open", sameSite: "None" },
    { ...base, name: "__Host-dot", domain: ".x.example", secure: true },
  ];
  const refused = await writeCookies(browser.connection.root, given);
  const names = (await readCookies(browser.connection.root)).map(({ name }) => name);
  assert.ok(names.includes("fine"));
  for (const [index, { name }] of given.entries())
    assert.equal(
      refused.some((one) => one.index === index),
      !names.includes(name),
      name,
    );
  assert.ok(refused.some(({ index }) => index === 0));
});

test("a host's cookies are deleted one by one: at no moment are those of others gone", async () => {
  const { root } = browser.connection;
  await deleteCookies(root, null);
  const partitionKey = { topLevelSite: "https://top.example", hasCrossSiteAncestor: true };
  const cross = { secure: true, sameSite: "None" } as const;
  const given: Cookie[] = [
    { ...base, name: "" },
    base,
    { ...base, path: "/deep" },
    { ...base, domain: ".x.example", name: "below", httpOnly: true },
    { ...base, domain: "www.x.example", expires: -1 },
    { ...base, ...cross, name: "part", partitionKey },
    { ...base, ...cross, name: "__Host-a" },
    { ...base, domain: "other.example", name: "stays" },
    { ...base, domain: "notx.example", name: "stays too", expires: -1 },
  ];
  assert.deepEqual(await writeCookies(root, given), []);
  const asked: string[] = [];
  const send = (method: string, params: object) => {
    asked.push(method);
    return Reflect.apply(root.send, root, [method, params]);
  };
  const watched: typeof root = Object.create(root, { send: { value: send } });
  await deleteCookies(watched, "X.example");
  const names = (await readCookies(root)).map(({ name }) => name).sort();
  assert.deepEqual(names, ["stays", "stays too"]);
  assert.ok(!asked.includes("Storage.clearCookies"), asked.join());
  await deleteCookies(root, null);
  assert.deepEqual(await readCookies(root), []);
});

test("cookies are replaced one by one: none of before stays or stands in the way, and all given are there", async () => {
  const { root } = browser.connection;
  await deleteCookies(root, null);
  const old = Array.from({ length: 170 }, (_, at) => ({ ...base, name: `old ${at}`, secure: true }));
  const twin: Cookie = { ...base, name: "twin", secure: true, httpOnly: true };
  const part = { topLevelSite: "https://top.example", hasCrossSiteAncestor: false };
  const other: Cookie = { ...base, name: "part", secure: true, partitionKey: part };
  assert.deepEqual(await writeCookies(root, [...old, twin, other, { ...base, name: "" }]), []);
  const given: Cookie[] = [
    ...Array.from({ length: 100 }, (_, at) => ({ ...base, name: `new ${at}` })),
    { ...base, name: "twin" },
    { ...base, name: "twin", domain: ".x.example" },
    { ...other, partitionKey: { ...part, topLevelSite: "https://else.example:8443" } },
    { ...base, domain: "BÜCHER.example", name: "session", expires: -1 },
  ];
  const asked: string[] = [];
  const send = (method: string, params: object) => {
    asked.push(method);
    return Reflect.apply(root.send, root, [method, params]);
  };
  assert.deepEqual(await replaceCookies(Object.create(root, { send: { value: send } }), given), []);
  const shown = ({ name, secure, httpOnly, partitionKey }: Cookie) =>
    `${name} ${secure} ${httpOnly} ${partitionKey?.topLevelSite.replace(":8443", "")}`;
  assert.deepEqual((await readCookies(root)).map(shown).sort(), given.map(shown).sort());
  assert.ok(!asked.includes("Storage.clearCookies"), asked.join());
  const bad = await replaceCookies(root, [{ ...twin, expires: 1_000 }]);
  assert.deepEqual(
    bad.map(({ index }) => index),
    [0],
  );
  assert.deepEqual(await readCookies(root), []);
});
