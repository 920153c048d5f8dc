/** The control channel: messages split anywhere, replies for the right session, and errors that name the call. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";
import { connect } from "../../actors/profile/cdp/connection.ts";
import { CdpError, failureOf } from "../../actors/profile/cdp/session.ts";
import { writtenTo } from "./pipe.ts";

function open() {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  const connection = connect(toBrowser, fromBrowser);
  const sent = () => writtenTo<{ id: number; method: string; sessionId?: string }>(toBrowser);
  const say = (message: object) => fromBrowser.write(encode(message));
  return { connection, fromBrowser, sent, say };
}

const attached = (sessionId: string) => ({
  method: "Target.attachedToTarget",
  params: { sessionId, targetInfo: { targetId: `target of ${sessionId}`, type: "page" } },
});

const changed = (url: string) => ({ method: "Target.targetInfoChanged", params: { targetInfo: { url } } });

test("messages are complete, wherever the stream is split", async () => {
  const { connection, fromBrowser } = open();
  const urls: string[] = [];
  const heard = new Promise<void>((resolve) => {
    connection.root.on("Target.targetInfoChanged", ({ targetInfo }) => {
      urls.push(targetInfo.url);
      if (urls.length === 3) resolve();
    });
  });
  const long = "é".repeat(200_000);
  const bytes = Buffer.concat(["a", long, "c"].map((url) => encode(changed(url))));
  for (let at = 0; at < bytes.length; at += 4_001) fromBrowser.write(bytes.subarray(at, at + 4_001));
  await heard;
  assert.deepEqual(urls, ["a", long, "c"]);
});

test("a message of 64 MiB in pieces of 64 KiB arrives complete", async () => {
  const { connection, fromBrowser } = open();
  const heard = new Promise<number>((resolve) => {
    connection.root.on("Target.targetInfoChanged", ({ targetInfo }) => resolve(targetInfo.url.length));
  });
  const url = "x".repeat(64 * 1024 ** 2);
  const bytes = encode(changed(url));
  for (let at = 0; at < bytes.length; at += 65_536) fromBrowser.write(bytes.subarray(at, at + 65_536));
  assert.equal(await heard, url.length);
});

test("replies and events go to the session that they name", async () => {
  const { connection, sent, say } = open();
  const ready = new Promise((resolve) => connection.root.on("Target.attachedToTarget", resolve));
  say(attached("S1"));
  await ready;
  const session = connection.session("S1");
  assert.ok(session);
  const own = session.send("Page.enable", {});
  const root = connection.root.send("Target.getTargets", {});
  const [first, second] = sent();
  assert.deepEqual([first?.sessionId, second?.sessionId], ["S1", undefined]);
  say({ id: second?.id, result: { targetInfos: [] } });
  say({ id: first?.id, result: {}, sessionId: "S1" });
  assert.deepEqual(await root, { targetInfos: [] });
  await own;
});

test("an error's stack names the line that sent the call", async () => {
  const { connection, sent, say } = open();
  const call = connection.root.send("Target.activateTarget", { targetId: "none" });
  say({ id: sent()[0]?.id, error: { message: "No target with given id found" } });
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CdpError);
  assert.equal(error.failure, "refused");
  assert.match(error.message, /Target\.activateTarget: No target/);
  assert.match(error.stack ?? "", /profile-channel\.test/);
});

test("a session that ends rejects its own calls; a pipe that closes rejects all", async () => {
  const { connection, fromBrowser, say } = open();
  const ready = new Promise((resolve) => connection.root.on("Target.attachedToTarget", resolve));
  say(attached("S1"));
  await ready;
  const session = connection.session("S1");
  assert.ok(session);
  const failure = (call: Promise<unknown>) => call.then(() => "none", failureOf);
  const own = failure(session.send("Page.enable", {}));
  const root = failure(connection.root.send("Target.getTargets", {}));
  say({ method: "Target.detachedFromTarget", params: { sessionId: "S1" } });
  assert.equal(await own, "session-closed");
  fromBrowser.end();
  await connection.gone;
  assert.equal(await root, "browser-gone");
  assert.equal(await failure(connection.root.send("Target.getTargets", {})), "browser-gone");
});

test("a call without a reply ends at its deadline", async () => {
  const { connection } = open();
  // The deadline's timer is unreferenced, so this one keeps the test alive.
  const alive = setInterval(() => {}, 1_000);
  assert.equal(
    await connection.root.send("Target.getTargets", {}, 5).then(() => "none", failureOf),
    "overdue",
  );
  clearInterval(alive);
});

test("waiting until the browser has read leaves no listener behind", async () => {
  const toBrowser = new PassThrough({ highWaterMark: 1 });
  const events = ["drain", "close", "error"];
  const listeners = () => events.map((event) => toBrowser.listenerCount(event));
  const connection = connect(toBrowser, new PassThrough());
  const before = listeners();
  for (let round = 0; round < 3; round += 1) {
    connection.root.send("Browser.getVersion", {}).catch(() => {});
    const drained = connection.drained();
    assert.notDeepEqual(listeners(), before);
    toBrowser.read();
    await drained;
    assert.deepEqual(listeners(), before);
  }
});
