/** Clients on the debugging pipe receive only their own sessions and cannot use those of others. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";
import { connect } from "../../actors/profile/cdp/connection.ts";
import { writtenTo } from "./pipe.ts";

interface Sent {
  id: number;
  method: string;
  params?: object;
  sessionId?: string;
}

function open() {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  const connection = connect(toBrowser, fromBrowser);
  const sent = () => writtenTo<Sent>(toBrowser);
  const say = async (...messages: object[]) => {
    for (const message of messages) fromBrowser.write(encode(message));
    await turn();
  };
  const client = async (rootId: string) => {
    const heard: string[] = [];
    let gone = 0;
    const opening = connection.openClient({ message: (text) => heard.push(text), gone: () => (gone += 1) });
    await turn();
    const asked = sent().at(-1);
    assert.equal(asked?.method, "Target.attachToBrowserTarget");
    await say(announced(rootId), { id: asked?.id, result: { sessionId: rootId } });
    return { ...(await opening), heard, gone: () => gone };
  };
  return { connection, toBrowser, fromBrowser, sent, say, client };
}

const announced = (sessionId: string, parent?: string) => ({
  method: "Target.attachedToTarget",
  params: { sessionId, targetInfo: { targetId: `target of ${sessionId}`, type: "page" } },
  ...(parent === undefined ? {} : { sessionId: parent }),
});

test("each client has its own message ids, and its first session has no id for it", async () => {
  const { client, sent, say, connection } = open();
  const one = await client("ROOT1");
  const two = await client("ROOT2");
  const own = connection.root.send("Browser.getVersion", {});
  one.send({ id: 1, method: "Target.getTargets" });
  two.send({ id: 1, method: "Browser.getVersion" });
  await turn();
  const [ours, first, second] = sent();
  assert.deepEqual([first?.sessionId, second?.sessionId], ["ROOT1", "ROOT2"]);
  assert.equal(new Set([ours?.id, first?.id, second?.id]).size, 3);
  await say(
    { id: second?.id, result: { product: "theirs" }, sessionId: "ROOT2" },
    { id: first?.id, error: { code: 1, message: "no" }, sessionId: "ROOT1" },
    { id: ours?.id, result: { product: "ours" } },
  );
  assert.deepEqual(one.heard, ['{"id":1,"error":{"code":1,"message":"no"}}']);
  assert.deepEqual(two.heard, ['{"id":1,"result":{"product":"theirs"}}']);
  assert.equal((await own).product, "ours");
});

test("only a client itself receives what is attached below it", async () => {
  const { client, say, connection } = open();
  const one = await client("ROOT1");
  const two = await client("ROOT2");
  const events: string[] = [];
  connection.root.on("Target.attachedToTarget", ({ sessionId }) => events.push(sessionId));
  const child = announced("CHILD", "ROOT1");
  const grandchild = announced("GRANDCHILD", "CHILD");
  const event = {
    method: "Page.frameDetached",
    params: { frameId: 'a,"sessionId":"ROOT2"}' },
    sessionId: "GRANDCHILD",
  };
  await say(child, grandchild, event, announced("OURS"));
  const { sessionId: _root, ...nameless } = child;
  assert.deepEqual(
    one.heard.map((text) => JSON.parse(text)),
    [nameless, grandchild, event],
  );
  assert.deepEqual(two.heard, []);
  assert.deepEqual(events, ["OURS"]);
  assert.equal(connection.session("CHILD"), undefined);
  assert.notEqual(connection.session("OURS"), undefined);
});

test("a client cannot use our sessions, another client's, or ended ones", async () => {
  const { client, sent, say } = open();
  const one = await client("ROOT1");
  const two = await client("ROOT2");
  await say(announced("OURS"), announced("CHILD", "ROOT2"), announced("ENDED", "ROOT1"), {
    method: "Target.detachedFromTarget",
    params: { sessionId: "ENDED" },
    sessionId: "ROOT1",
  });
  one.heard.length = 0;
  for (const sessionId of ["OURS", "ROOT2", "CHILD", "ENDED", "", 7, null])
    one.send({
      id: 5,
      method: "Runtime.evaluate",
      ...(sessionId === null ? { sessionId: {} } : { sessionId }),
    });
  await turn();
  assert.deepEqual(sent(), []);
  assert.equal(one.heard.length, 7);
  for (const text of one.heard) assert.match(text, /^\{"id":5,"error":\{"code":-32001,/);
  two.send({ id: 5, method: "Runtime.evaluate", sessionId: "CHILD" });
  await turn();
  assert.equal(sent()[0]?.sessionId, "CHILD");
});

test("a closed client is detached and receives nothing more; later messages below it are dropped", async () => {
  const { client, sent, say, connection } = open();
  const one = await client("ROOT1");
  await say(announced("CHILD", "ROOT1"));
  one.send({ id: 9, method: "Page.enable", sessionId: "CHILD" });
  await turn();
  const [late] = sent();
  one.close();
  one.close();
  one.send({ id: 10, method: "Page.enable", sessionId: "CHILD" });
  await turn();
  assert.deepEqual(
    sent().map(({ method, params }) => [method, params]),
    [["Target.detachFromTarget", { sessionId: "ROOT1" }]],
  );
  one.heard.length = 0;
  await say(announced("LATE", "CHILD"), { id: late?.id, result: {}, sessionId: "CHILD" });
  assert.deepEqual(one.heard, []);
  assert.equal(connection.session("LATE"), undefined);
  assert.equal(one.gone(), 0);
});

test("a client is notified when the browser ends its session, and when the browser exits", async () => {
  const { client, say, fromBrowser, connection } = open();
  const one = await client("ROOT1");
  const two = await client("ROOT2");
  assert.notEqual(connection.session("ROOT1"), undefined);
  await say({ method: "Target.detachedFromTarget", params: { sessionId: "ROOT1" } });
  assert.deepEqual([one.gone(), two.gone()], [1, 0]);
  assert.equal(connection.session("ROOT1"), undefined, "its session is forgotten");
  fromBrowser.end();
  await turn();
  await turn();
  assert.deepEqual([one.gone(), two.gone()], [1, 1]);
});

test("the backlog is the unread bytes, and its end is reported", async () => {
  const { client, connection, toBrowser } = open();
  const one = await client("ROOT1");
  one.send({ id: 1, method: "Runtime.evaluate", params: { expression: "x".repeat(1_000_000) } });
  await turn();
  assert.ok(connection.backlog() > 900_000);
  let drained = false;
  const waiting = connection.drained().then(() => {
    drained = true;
  });
  await turn();
  assert.equal(drained, false);
  toBrowser.resume();
  await waiting;
  assert.equal(connection.backlog(), 0);
});

test("all sessions of clients on a target are ended, each through its parent session", async () => {
  const { client, sent, say, connection } = open();
  const one = await client("ROOT1");
  await client("ROOT2");
  const worker = (sessionId: string, parent: string) => {
    const message = announced(sessionId, parent);
    message.params.targetInfo = { targetId: "WORKER", type: "service_worker" };
    return message;
  };
  await say(worker("W1", "ROOT1"), announced("PAGE", "ROOT2"), worker("W2", "PAGE"), worker("W3", "ROOT2"));
  const w3 = { method: "Target.detachedFromTarget", params: { sessionId: "W3" }, sessionId: "ROOT2" };
  await say(w3);
  connection.detachClients("WORKER");
  await turn();
  assert.deepEqual(
    sent().map(({ method, params, sessionId }) => ({ method, params, sessionId })),
    [
      { method: "Target.detachFromTarget", params: { sessionId: "W1" }, sessionId: "ROOT1" },
      { method: "Target.detachFromTarget", params: { sessionId: "W2" }, sessionId: "PAGE" },
    ],
  );
  one.heard.length = 0;
  const w1 = { method: "Target.detachedFromTarget", params: { sessionId: "W1" } };
  await say({ ...w1, sessionId: "ROOT1" }, { id: 99, result: {}, sessionId: "ROOT1" });
  assert.deepEqual(one.heard, [JSON.stringify(w1)], "the client gets the detach event, not the reply");
});
