/** A trace of DevTools traffic: made only while it is read, bounded, and without what users and sites keep secret. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";
import { connect } from "../../actors/profile/cdp/connection.ts";
import { redacted } from "../../actors/profile/cdp/redacted.ts";
import { createTrace } from "../../actors/profile/cdp/trace.ts";
import type { Watcher } from "../../actors/profile/cdp/traffic.ts";
import { limits } from "../../protocol/limits.ts";
import { writtenTo } from "./pipe.ts";

const secret = "s3cr3t-of-the-user";

function openTrace() {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  const { root, watchTraffic } = connect(toBrowser, fromBrowser);
  const clock = new ManualClock();
  const watchers = new Set<Watcher>();
  const watch = (watcher: Watcher) => {
    const end = watchTraffic(watcher);
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
      end();
    };
  };
  const trace = createTrace({ watchTraffic: watch }, clock);
  const read = async (after: number) => {
    const tail = trace.next(after, 0);
    await clock.advance(1_000);
    return tail;
  };
  const say = (message: object) => fromBrowser.write(encode(message));
  return { root, clock, watchers, read, say, sent: () => writtenTo<{ id: number }>(toBrowser) };
}

test("each message is a line, with the method of the command that a reply answers", async () => {
  const { root, read, say, sent } = openTrace();
  await read(0);
  const heard = new Promise((resolve) => root.on("Target.targetCreated", resolve));
  const asked = root.send("Storage.getCookies", {});
  const [command] = sent();
  say({ id: command?.id, result: { cookies: [{ name: "sid", value: secret, secure: true }] } });
  say({ method: "Target.targetCreated", params: { targetInfo: { url: `https://shop.test/a?k=${secret}` } } });
  await asked;
  await heard;
  const { lines, count } = await read(0);
  assert.equal(count, 3);
  assert.ok(!lines.join("").includes(secret));
  const [first, second, third] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    [first.direction, first.method, first.id, first.params],
    ["sent", "Storage.getCookies", 1, {}],
  );
  assert.deepEqual([second.direction, second.method, second.id], ["received", "Storage.getCookies", 1]);
  assert.deepEqual(second.result, { cookies: [{ name: "sid", value: "[18 characters]", secure: true }] });
  assert.equal(third.params.targetInfo.url, "https://shop.test/a[…]");
  assert.ok(first.bytes > 0 && second.bytes > 0 && Date.parse(third.at) > 0);
});

test("it begins with the first read, and ends when no one reads it", async () => {
  const { clock, watchers, read } = openTrace();
  assert.equal(watchers.size, 0);
  await read(0);
  assert.equal(watchers.size, 1);
  await clock.advance(60_000);
  assert.equal(watchers.size, 0);
});

test("a slow reader misses the oldest lines, and the count says how many", async () => {
  const { watchers, read } = openTrace();
  await read(0);
  const [watcher] = watchers;
  const text = "x".repeat(limits.cdpTraceBodyCharsMax * 4);
  const all = Math.ceil(limits.cdpTraceBufferCharsMax / limits.cdpTraceBodyCharsMax) + 10;
  for (let id = 1; id <= all; id += 1) watcher?.sent({ id, method: "Log.enable", params: { name: text } });
  const { lines, count } = await read(0);
  assert.equal(count, all);
  assert.ok(lines.length < all && lines.length > all / 2, `${lines.length} lines`);
  const last = JSON.parse(String(lines.at(-1)));
  assert.deepEqual([last.id, last.cut, last.params.length], [all, true, limits.cdpTraceBodyCharsMax]);
});

test("typed text, values, bodies, code and secret headers are left out, and the rest is kept", () => {
  const said = (value: unknown) => JSON.stringify(redacted(value));
  for (const params of [
    { type: "keyDown", text: secret, key: secret, code: secret },
    { targetInfo: { title: `shop.test/?token=${secret}` } },
    { type: "alert", message: secret },
    { exceptionDetails: { exception: { description: `Error: ${secret}` } } },
    { frameId: "F", html: secret },
    { arguments: [{ value: secret }, { value: { deep: [secret] } }] },
    { headers: { Authorization: secret, "X-Api-Key": secret, Cookie: secret } },
    { responseHeaders: [{ name: "Set-Cookie", value: secret }] },
    { headersText: `Cookie: ${secret}` },
    { request: { url: `https://a.test/?token=${secret}`, postData: secret, urlFragment: secret } },
    { authChallengeResponse: { username: secret, password: secret } },
    { expression: secret },
    { targetInfo: { url: `data:text/html,${secret}` } },
    { url: `http://user:${secret}@a.test/` },
    { documentURL: `about:blank#${secret}`.replace("about:", "x://") },
    { blockedCookies: [{ cookieLine: secret, cookie: { name: "a", value: secret } }] },
    { promptText: secret },
    { response: { payloadData: secret } },
  ])
    assert.ok(!said(params).includes(secret), said(params));
  const kept = {
    type: "mousePressed",
    x: 12.5,
    button: "left",
    headers: { "Content-Type": "text/html", ":status": "200" },
    url: "https://a.test/path",
    list: [true, null, 3],
  };
  assert.deepEqual(redacted(kept), kept);
  assert.equal(
    said({ key: "a", windowsVirtualKeyCode: 65 }),
    '{"key":"[1 characters]","windowsVirtualKeyCode":"[number]"}',
  );
});
