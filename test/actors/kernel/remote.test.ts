/** The calling end of a port: pending calls when the port is replaced. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { createRemote } from "../../../actors/kernel/remote.ts";
import type { PortLike } from "../../../actors/kernel/wire.ts";

interface Api {
  launch(input: object): Promise<string>;
}

test("a pending call is rejected when a new port arrives before the old one closes", async (t) => {
  const [before, after] = [new MessageChannel(), new MessageChannel()];
  t.after(() => {
    for (const { port1 } of [before, after]) port1.close();
  });
  after.port2.on("message", ({ call }) =>
    after.port2.postMessage({ reply: { jsonrpc: "2.0", id: call.id, result: "launched" } }),
  );
  const remote = createRemote<Api>("pool", { deadlines: { launch: Number.POSITIVE_INFINITY } });
  remote.attach(before.port1 as PortLike);
  let sent = "waits";
  remote.api.launch({}).catch((error: unknown) => {
    sent = String(error);
  });
  remote.attach(after.port1 as PortLike);
  assert.equal(await remote.api.launch({}), "launched");
  assert.match(sent, /pool restarted before it answered/);
});
