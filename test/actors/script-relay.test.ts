/** A script's channel to its browser: resumed targets get the profile's values first, and a slow browser slows the script. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createDeferred } from "../../actors/kernel/deferred.ts";
import { openRelay, type RelayedMessage } from "../../actors/script/relay.ts";

async function open(refused: readonly string[] = []) {
  const sent: string[] = [];
  const heard: string[] = [];
  const congested: boolean[] = [];
  let closed = 0;
  let backlog = 0;
  let settling = createDeferred<void>();
  const draining = createDeferred<void>();
  const relay = await openRelay({
    browser: {
      cdpUrl: "http://127.0.0.1:1",
      openClient: async () => ({
        send: ({ method }) => void sent.push(method),
        close: () => {
          closed += 1;
        },
      }),
      backlog: () => backlog,
      drained: () => draining.promise,
      settled: () => settling.promise,
    },
    policy: {
      judge: (text) => {
        const message: RelayedMessage = JSON.parse(text);
        return refused.includes(message.method) ? { reply: `no ${message.method}` } : { forward: message };
      },
      hear: () => {},
    },
    onMessage: (text) => heard.push(text),
    onCongestion: (now) => congested.push(now),
    onClose: () => {},
    onFault: assert.ifError,
  });
  return {
    relay,
    sent,
    heard,
    congested,
    say: (method: string) => relay.send(JSON.stringify({ id: 1, method })),
    settle: async () => {
      settling.resolve();
      settling = createDeferred<void>();
      await turn();
    },
    fill: (bytes: number) => {
      backlog = bytes;
    },
    drain: async () => {
      backlog = 0;
      draining.resolve();
      await turn();
    },
    closed: () => closed,
  };
}

const goOn = "Runtime.runIfWaitingForDebugger";

test("no target resumes before it has the profile's values, and later messages are sent later", async () => {
  const { say, sent, settle } = await open();
  for (const method of ["Page.enable", goOn, "Runtime.enable", goOn, "Page.navigate"]) say(method);
  await turn();
  assert.deepEqual(sent, ["Page.enable"]);
  await settle();
  assert.deepEqual(sent, ["Page.enable", goOn, "Runtime.enable"]);
  await settle();
  assert.deepEqual(sent, ["Page.enable", goOn, "Runtime.enable", goOn, "Page.navigate"]);
  say("Page.reload");
  assert.equal(sent.at(-1), "Page.reload", "messages are sent at once again");
});

test("a refused message is answered and never reaches the browser", async () => {
  const { say, sent, heard } = await open(["Browser.close"]);
  say("Browser.close");
  assert.deepEqual([sent, heard], [[], ["no Browser.close"]]);
});

test("a browser that does not read stops the script until it reads", async () => {
  const { say, congested, fill, drain } = await open();
  fill(9 * 1024 ** 2);
  say("Page.enable");
  say("Page.enable");
  assert.deepEqual(congested, [true]);
  await drain();
  assert.deepEqual(congested, [true, false]);
});

test("a closed relay sends nothing more, not even queued messages", async () => {
  const { relay, say, sent, settle, closed } = await open();
  say(goOn);
  relay.close();
  say("Page.enable");
  await settle();
  assert.deepEqual([sent, closed()], [[], 1]);
});
