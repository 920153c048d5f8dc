/** The mailbox runs one task at a time, in order, is bounded, and closes with a reason. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Mailbox } from "../../../actors/kernel/mailbox.ts";
import { Fault } from "../../../protocol/faults.ts";

function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test("tasks run one at a time and in order, also after a failure", async () => {
  const box = new Mailbox("tab", 10);
  const seen: string[] = [];
  const first = gate();
  const a = box.run(async () => {
    await first.opened;
    seen.push("a");
    throw new Error("a failed");
  });
  const b = box.run(async () => void seen.push("b"));
  assert.equal(box.waiting, 1);
  first.open();
  await assert.rejects(a, /a failed/);
  await b;
  assert.deepEqual(seen, ["a", "b"]);
});

test("a full mailbox refuses with its name and its limit", async () => {
  const box = new Mailbox("tab of profile x", 1);
  const first = gate();
  const inHand = box.run(() => first.opened);
  const waiting = box.run(async () => {});
  await assert.rejects(
    box.run(async () => {}),
    /tab of profile x has 1 calls waiting/,
  );
  first.open();
  await Promise.all([inHand, waiting]);
});

test("closing rejects waiting and later tasks with the given fault", async () => {
  const box = new Mailbox("tab", 5);
  const first = gate();
  const inHand = box.run(() => first.opened);
  const waiting = assert.rejects(
    box.run(async () => {}),
    /the browser ended/,
  );
  box.close(new Fault("conflict", "the browser ended"));
  await waiting;
  await assert.rejects(
    box.run(async () => {}),
    /the browser ended/,
  );
  first.open();
  await inHand;
});

test("a task that throws before its first promise is refused, and the next one begins", async () => {
  const mailbox = new Mailbox("the page", 10);
  const thrown = mailbox.run(() => {
    throw new Error("at once");
  });
  const next = mailbox.run(async () => "next");
  await assert.rejects(thrown, /at once/);
  assert.equal(await next, "next");
});
