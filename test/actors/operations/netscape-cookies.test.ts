/** A cookies.txt as browsers' extensions, curl and yt-dlp write it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCookieFile } from "../../../actors/operations/cookie-file.ts";
import { netscapeEntries } from "../../../protocol/netscape-cookies.ts";

const now = Date.parse("2026-11-27T00:00:00Z");
const read = (text: string) => readCookieFile(netscapeEntries(text), now);

test("lines of every end, comments, httpOnly lines, session cookies and empty values are read", () => {
  const text = [
    "\uFEFF# Netscape HTTP Cookie File",
    "",
    ".shop.example\tTRUE\t/\tTRUE\t1999999999\tsid\ta=b;c",
    "#HttpOnly_shop.example\tFALSE\t/cart\tFALSE\t0\tcart\t7",
    "# a comment",
    "www.example\tfalse\t/\tfalse\t1999999999.5\tempty",
  ].join("\r\n");
  const { cookies, refused } = read(text);
  assert.deepEqual(refused, []);
  assert.deepEqual(
    cookies.map(({ cookie }) => cookie),
    [
      {
        name: "sid",
        value: "a=b;c",
        domain: ".shop.example",
        path: "/",
        expires: 1999999999,
        httpOnly: false,
        secure: true,
      },
      {
        name: "cart",
        value: "7",
        domain: "shop.example",
        path: "/cart",
        expires: -1,
        httpOnly: true,
        secure: false,
      },
      {
        name: "empty",
        value: "",
        domain: "www.example",
        path: "/",
        expires: 1999999999.5,
        httpOnly: false,
        secure: false,
      },
    ],
  );
});

test("a line that is no cookie is refused by its number, and the others are read", () => {
  const { cookies, refused } = read(
    "a.example TRUE / TRUE 0 name value\na.example\tFALSE\t/\tFALSE\t0\tn\tv\nb.example\tYES\t/\tFALSE\t0\tn\tv\n",
  );
  assert.equal(cookies.length, 1);
  assert.deepEqual(
    refused.map(({ index }) => index),
    [0, 2],
  );
  assert.match(refused[0]?.error ?? "", /^line 1: 1 fields; a line of cookies.txt has 7 fields between tabs/);
  assert.match(refused[1]?.error ?? "", /^line 3: 7 fields/);
});

test("what extensions write besides is read: no expiry or -1 for a session, and FALSE beside a domain with a dot", () => {
  const { cookies, refused } = read(
    "a.example\tFALSE\t/\tFALSE\t-1\ta\t1\nb.example\tFALSE\t/\tFALSE\t\tb\t1\n.c.example\tFALSE\t/\tFALSE\t0\tc\t1\n",
  );
  assert.deepEqual(refused, []);
  assert.deepEqual(
    cookies.map(({ cookie: { domain, expires } }) => [domain, expires]),
    [
      ["a.example", -1],
      ["b.example", -1],
      [".c.example", -1],
    ],
  );
});
