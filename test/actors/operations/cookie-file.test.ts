/** Cookie files in the formats of common tools. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCookieFile } from "../../../actors/operations/cookie-file.ts";

const now = Date.parse("2026-11-26T12:00:00Z");
const read = (...entries: unknown[]) => readCookieFile(entries, now);
const one = (entry: unknown) => read(entry).cookies[0]?.cookie;

test("the formats of Playwright, Puppeteer and EditThisCookie give the same cookie", () => {
  const cookie = {
    name: "sid",
    value: "1",
    domain: ".shop.example",
    path: "/",
    expires: 1_900_000_000,
    httpOnly: true,
    secure: true,
    sameSite: "None",
  };
  assert.deepEqual(one(cookie), cookie);
  assert.deepEqual(
    one({ ...cookie, size: 4, session: false, sourceScheme: "Secure", priority: "Medium" }),
    cookie,
  );
  const { expires, ...rest } = cookie;
  const extension = {
    ...rest,
    domain: "shop.example",
    hostOnly: false,
    sameSite: "no_restriction",
    expirationDate: expires,
  };
  assert.deepEqual(one({ ...extension, session: false, storeId: "0", id: 1 }), cookie);
});

test("a host-only cookie has no dot, a session cookie no expiry, and an unspecified SameSite is left out", () => {
  const given = {
    name: "a",
    value: "",
    domain: ".shop.example",
    hostOnly: true,
    session: true,
    sameSite: "unspecified",
  };
  assert.deepEqual(one(given), {
    name: "a",
    value: "",
    domain: "shop.example",
    path: "/",
    expires: -1,
    httpOnly: false,
    secure: false,
  });
});

test("an invalid cookie is reported by its index, and the others are kept", () => {
  const { cookies, refused } = read(
    7,
    { name: "a", value: "b", domain: "x.example" },
    { name: "a", value: "b" },
  );
  assert.deepEqual(
    cookies.map(({ index }) => index),
    [1],
  );
  assert.deepEqual(refused, [
    { index: 0, error: "a cookie must be an object, got 7" },
    { index: 2, error: "domain must be a string, got nothing" },
  ]);
});

const plain = { name: "a", value: "b", domain: "x.example" };

test("what a browser would drop without a word is refused with the reason", () => {
  const errors = read(
    { ...plain, sameSite: "no_restriction" },
    { ...plain, expires: 1_700_000_000 },
    { ...plain, expirationDate: 1_700_000_000_000 },
    { ...plain, expires: "2020-01-01" },
  ).refused.map(({ error }) => error);
  assert.deepEqual(errors, [
    'sameSite of "a" is no_restriction, which needs "secure": true; browsers drop it otherwise',
    'expires of "a" is past: 1700000000',
    'expires of "a" is past: 1700000000000',
    'expires of "a" is past: "2020-01-01"',
  ]);
});

test("seconds beyond the year 5000 are seconds, and milliseconds are milliseconds", () => {
  assert.equal(one({ ...plain, expires: 253_402_300_799 })?.expires, 253_402_300_799);
  assert.equal(one({ ...plain, expires: 1_900_000_000_000 })?.expires, 1_900_000_000);
  assert.equal(one({ ...plain, expires: "1900000000" })?.expires, 1_900_000_000);
});

test("a text in place of true or false is refused by its field", () => {
  for (const field of ["secure", "httpOnly", "session", "hostOnly"]) {
    const [refused] = read({ ...plain, [field]: "true" }).refused;
    assert.equal(refused?.error, `${field} of "a" must be true or false, got "true"`);
  }
});

test("a partition is read as Playwright, Puppeteer and extensions write it, with what its frames are below", () => {
  const partitioned = (partitionKey: unknown, more = {}) =>
    one({ ...plain, secure: true, partitionKey, ...more })?.partitionKey;
  const site = "https://top.example";
  for (const hasCrossSiteAncestor of [true, false]) {
    const key = { topLevelSite: site, hasCrossSiteAncestor };
    assert.deepEqual(partitioned(site, { _crHasCrossSiteAncestor: hasCrossSiteAncestor }), key);
    assert.deepEqual(partitioned({ sourceOrigin: site, hasCrossSiteAncestor }), key);
    assert.deepEqual(partitioned(key), key);
  }
  for (const none of [null, "", {}, { topLevelSite: "" }, undefined])
    assert.equal(partitioned(none), undefined);
  for (const bad of [7, "top.example", { site }, [site]]) {
    const [refused] = read({ ...plain, partitionKey: bad }).refused;
    assert.match(
      refused?.error ?? "",
      /^partitionKey of "a" must name a site such as "https:\/\/example.com"/,
    );
  }
});

test("Selenium's expiry is read, and a URL that is none is refused by its field", () => {
  assert.equal(one({ ...plain, expiry: 1_900_000_000 })?.expires, 1_900_000_000);
  const { domain: _, ...rest } = plain;
  assert.equal(one({ ...rest, url: "https://x.example/a" })?.domain, "x.example");
  assert.match(
    read({ ...rest, url: "x.example" }).refused[0]?.error ?? "",
    /^url of "a" must be a URL such as/,
  );
});

test("a domain that is more than a host is refused by its field: a browser would take another host out of it", () => {
  const refusal = (domain: string) => read({ name: "a", value: "b", domain }).refused[0]?.error ?? "";
  for (const domain of [
    "http://shop.example",
    "chrome://settings",
    "user:password@shop.example",
    "a@shop.example",
    "shop.example/cart",
    "shop.example?a",
    "shop.example#a",
    "shop.example\\cart",
    "*.shop.example",
    "%73hop.example",
    "my shop.example",
    " shop.example",
    "sh\top.example",
    "..shop.example",
    ".",
    "",
    "shop.example:port",
    "a:b:c",
    "[::1",
  ])
    assert.match(refusal(domain), /^domain of "a" must name a host, such as shop.example, got "/, domain);
  for (const domain of [
    "shop.example",
    ".Shop.Example.",
    "bücher.example",
    "localhost:3000",
    "[::1]",
    ".[::1]:80",
    "127.0.0.1",
  ])
    assert.equal(refusal(domain), "", domain);
});
