/** Messages from a script's process or a page that are nested deeper than the stack are refused on arrival, without harm. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";
import { connect } from "../../actors/profile/cdp/connection.ts";
import { failureOf } from "../../actors/profile/cdp/session.ts";
import { createCdpPolicy } from "../../actors/profile/cdp-policy.ts";
import { openRelay } from "../../actors/script/relay.ts";
import { limits } from "../../protocol/limits.ts";
import { writtenTo } from "../actors/pipe.ts";

const levels = 20_000;
const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;

interface Sent {
  id: number;
  method: string;
}

function open() {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  const connection = connect(toBrowser, fromBrowser);
  return { connection, fromBrowser, sent: () => writtenTo<Sent>(toBrowser) };
}

async function attach({ connection, fromBrowser, sent }: ReturnType<typeof open>) {
  const heard: { id?: number | null; method?: string; error?: { message: string } }[] = [];
  const opening = connection.openClient({
    message: (text) => heard.push(JSON.parse(text)),
    gone: () => assert.fail("the browser is still running"),
  });
  fromBrowser.write(encode({ id: sent()[0]?.id, result: { sessionId: "C1" } }));
  return { client: await opening, heard };
}

/** As Chromium writes nested lists, each in its own envelope. */
function nested(depth: number): Buffer {
  const bytes = Buffer.alloc(depth * 9 + 1);
  for (let level = 0; level < depth; level += 1) {
    const at = level * 8;
    bytes.set([0xd8, 0x18, 0x5a], at);
    bytes.writeUInt32BE((depth - level) * 9 - 6, at + 3);
    bytes[at + 7] = 0x9f;
  }
  bytes[depth * 8] = 0xf6;
  bytes.fill(0xff, depth * 8 + 1);
  return bytes;
}

function messageWith(fields: object, name: string, value: Buffer): Buffer {
  const head = encode({ ...fields, [name]: null });
  const body = Buffer.concat([head.subarray(7, -2), value, Buffer.from([0xff])]);
  head.writeUInt32BE(body.length, 3);
  return Buffer.concat([head.subarray(0, 7), body]);
}

test("a script's command that is nested too deep anywhere is answered with an error", async () => {
  const opened = open();
  const { client, heard } = await attach(opened);
  const policy = {
    fileDirs: [],
    downloadDir: "/scratch",
    approved: true,
    refusedPorts: [],
    isThisMachine: () => false,
  };
  const relay = await openRelay({
    browser: {
      cdpUrl: "http://127.0.0.1:1",
      openClient: async () => client,
      backlog: () => 0,
      drained: async () => {},
      settled: async () => {},
    },
    policy: createCdpPolicy(policy),
    onMessage: (text) => heard.push(JSON.parse(text)),
    onCongestion: () => {},
    onClose: () => {},
    onFault: assert.ifError,
  });
  const forged = [
    `{"id":1,"method":"Runtime.evaluate","params":${deep}}`,
    `{"id":2,"method":"Runtime.evaluate","sessionId":${deep}}`,
    `{"id":${deep},"method":"Runtime.evaluate"}`,
    `{"id":4,"method":"Browser.close","sessionId":${deep}}`,
    `{"id":5,"method":${deep}}`,
    deep,
  ];
  for (const text of forged) relay.send(text);
  assert.deepEqual(
    heard.map(({ id }) => id),
    [1, 2, null, 4, 5, null],
  );
  assert.match(heard[0]?.error?.message ?? "", /nested more than/);
  assert.deepEqual(opened.sent(), [], "no part of it reaches the browser");
});

test("a reply that a page makes too deep is an error, and such events are dropped", async () => {
  const opened = open();
  const { connection, fromBrowser, sent } = opened;
  const { client, heard } = await attach(opened);
  const within = nested(limits.cdpAnswerLevelsMax - 10);
  const above = nested(limits.cdpAnswerLevelsMax + 10);
  const answers = [within, above, within].map((value) => {
    const outcome = connection.root.send("Browser.getVersion", {}).then(() => "read", failureOf);
    fromBrowser.write(messageWith({ id: sent()[0]?.id }, "result", value));
    return outcome;
  });
  assert.deepEqual(await Promise.all(answers), ["read", "refused", "read"]);
  const events: unknown[] = [];
  connection.root.on("Target.targetInfoChanged", (event) => events.push(event));
  client.send({ id: 9, method: "Browser.getVersion" });
  await turn();
  const [command] = sent();
  for (const value of [above, within]) {
    fromBrowser.write(messageWith({ method: "Target.targetInfoChanged" }, "params", value));
    fromBrowser.write(messageWith({ method: "Log.entryAdded", sessionId: "C1" }, "params", value));
  }
  fromBrowser.write(messageWith({ id: command?.id, sessionId: "C1" }, "result", above));
  await turn();
  assert.equal(events.length, 1);
  assert.deepEqual(
    heard.map(({ id, method, error }) => [id ?? method, error?.message]),
    [
      ["Log.entryAdded", undefined],
      [9, "The answer is nested too deep to be read."],
    ],
  );
});

test("invalid bytes close only the browser's channel", async () => {
  const { connection, fromBrowser } = open();
  fromBrowser.write(Buffer.from("no message of the protocol"));
  await connection.gone;
  assert.equal(
    await connection.root.send("Browser.getVersion", {}).then(() => "read", failureOf),
    "browser-gone",
  );
});
