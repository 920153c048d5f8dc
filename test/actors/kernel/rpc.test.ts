/** Calls between threads: checks, faults, deadlines, and ports that close. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { ManualClock } from "../../../actors/kernel/clock.ts";
import { createLog } from "../../../actors/kernel/log.ts";
import { createRemote } from "../../../actors/kernel/remote.ts";
import { answer, gated, serveApi } from "../../../actors/kernel/rpc.ts";
import type { PortLike } from "../../../actors/kernel/wire.ts";
import { Fault } from "../../../protocol/faults.ts";
import type { Checks } from "../../../protocol/messages/checks.ts";

interface EchoApi {
  echo(input: { text: string }): Promise<{ text: string }>;
  fail(input: { kind: "conflict" | "unknown" }): Promise<null>;
  bytes(input: { length: number }): Promise<{ bytes: Uint8Array }>;
  never(input: Record<string, never>): Promise<null>;
}

const checks: Checks<EchoApi> = {
  echo: (input) => {
    const text = (input as { text?: unknown }).text;
    if (typeof text !== "string") throw new TypeError("text must be a string");
    return { text };
  },
  fail: (input) => input as { kind: "conflict" | "unknown" },
  bytes: (input) => input as { length: number },
  never: () => ({}),
};
const api: EchoApi = {
  echo: async ({ text }) => ({ text }),
  fail: async ({ kind }) => {
    throw kind === "conflict" ? new Fault("conflict", "taken", { by: 7 }) : new RangeError("odd");
  },
  bytes: async ({ length }) => ({ bytes: new Uint8Array(length).fill(1) }),
  never: () => new Promise(() => {}),
};

const ports: MessageChannel[] = [];
after(() => {
  for (const { port1, port2 } of ports) {
    port1.close();
    port2.close();
  }
});

function connect(clock?: ManualClock) {
  const channel = new MessageChannel();
  ports.push(channel);
  const lines: string[] = [];
  serveApi(channel.port1 as PortLike, api, checks, { log: createLog("test", (line) => lines.push(line)) });
  const remote = createRemote<EchoApi>("echo", clock === undefined ? {} : { clock });
  remote.attach(channel.port2 as PortLike);
  return { remote, lines };
}

test("a call returns the method's value", async () => {
  assert.deepEqual(await connect().remote.api.echo({ text: "hä" }), { text: "hä" });
});

test("a fault keeps its kind, message and detail", async () => {
  await assert.rejects(connect().remote.api.fail({ kind: "conflict" }), (error: unknown) => {
    assert.ok(error instanceof Fault);
    assert.equal(error.kind, "conflict");
    assert.equal(error.message, "taken");
    assert.deepEqual(error.detail, { by: 7 });
    return true;
  });
});

test("an unknown error becomes internal and is logged where it happened", async () => {
  const { remote, lines } = connect();
  await assert.rejects(
    remote.api.fail({ kind: "unknown" }),
    (error: unknown) => error instanceof Fault && error.kind === "internal" && error.message === "odd",
  );
  assert.match(lines.join(""), /RangeError: odd/);
});

test("input that fails its check never reaches the method", async () => {
  const { remote } = connect();
  const bad: unknown = { text: 5 };
  await assert.rejects(remote.api.echo(bad as { text: string }), /text must be a string/);
});

test("unknown method names are refused, also inherited ones", async () => {
  const table = gated(api, checks);
  for (const method of ["toString", "constructor", "__proto__", "nothing"]) {
    const reply = await answer(
      table,
      { jsonrpc: "2.0", id: 1, method, params: [{}] },
      createLog("test", () => {}),
    );
    assert.ok("error" in reply, method);
    assert.match(reply.error.message, /Method not found/);
  }
});

test("bytes are transferred, not copied", async () => {
  const { bytes } = await connect().remote.api.bytes({ length: 1000 });
  assert.equal(bytes.byteLength, 1000);
  assert.equal(bytes[999], 1);
});

test("a call without an answer in time is rejected with its name", async () => {
  const clock = new ManualClock();
  const { remote } = connect(clock);
  const call = remote.api.never({});
  const rejected = assert.rejects(call, /echo\.never did not answer within 30000 ms/);
  await clock.advance(30_000);
  await rejected;
  assert.equal(clock.pending, 0);
});

test("when the other end closes, pending calls are rejected, and later ones wait for a new port", async () => {
  const { remote } = connect();
  const pending = remote.api.never({});
  remote.detach(new Fault("internal", "the thread ended"), "wait");
  await assert.rejects(pending, /the thread ended/);
  const waiting = remote.api.echo({ text: "later" });
  const channel = new MessageChannel();
  ports.push(channel);
  serveApi(channel.port1 as PortLike, api, checks, { log: createLog("test", () => {}) });
  remote.attach(channel.port2 as PortLike);
  assert.deepEqual(await waiting, { text: "later" });
});

test("a remote that is closed for good refuses calls at once", async () => {
  const { remote } = connect();
  remote.detach(new Fault("conflict", "the browser ended"), "refused");
  await assert.rejects(remote.api.echo({ text: "x" }), /the browser ended/);
});
