/** Cookie files in the formats of common tools. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCookieFile } from "../../../actors/operations/cookie-file.ts";

const one = (entry: unknown) => readCookieFile([entry]).cookies[0]?.cookie;

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
  const { cookies, refused } = readCookieFile([
    7,
    { name: "a", value: "b", domain: "x.example" },
    { name: "a", value: "b" },
  ]);
  assert.deepEqual(
    cookies.map(({ index }) => index),
    [1],
  );
  assert.deepEqual(refused, [
    { index: 0, error: "a cookie must be an object, got 7" },
    { index: 2, error: "domain must be a string, got nothing" },
  ]);
});
