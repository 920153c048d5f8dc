/** Reading a script's log while it is written: new lines in groups, never more than are kept. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createScriptLogs } from "../../actors/profile/script-logs.ts";
import { limits } from "../../protocol/limits.ts";

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a reader that waits from before the start gets the first lines together", async () => {
  const clock = new ManualClock();
  const logs = createScriptLogs(clock);
  const asked = logs.next("run", 0);
  const { ledger } = logs.begin("run");
  ledger.log("info", "one");
  await settled();
  ledger.log("warn", "two");
  await clock.advance(200);
  assert.deepEqual(await asked, { lines: ["info: one", "warn: two"], count: 2 });
  const more = logs.next("run", 2);
  ledger.log("info", "three");
  await settled();
  await clock.advance(200);
  assert.deepEqual(await more, { lines: ["info: three"], count: 3 });
  assert.equal(clock.pending, 0);
});

test("only kept lines are returned, and all are counted", async () => {
  const clock = new ManualClock();
  const logs = createScriptLogs(clock);
  const { ledger } = logs.begin("run");
  for (let line = 1; line <= limits.scriptLogTailLinesMax + 50; line += 1) ledger.log("info", `${line}`);
  const asked = logs.next("run", 0);
  await settled();
  await clock.advance(200);
  const tail = await asked;
  assert.deepEqual([tail?.lines.length, tail?.lines[0], tail?.count], [200, "info: 51", 250]);
});

test("silence, another run and the end return no lines, and the end returns at once", async () => {
  const clock = new ManualClock();
  const logs = createScriptLogs(clock);
  const { ledger, end } = logs.begin("run");
  const silent = logs.next("run", 0);
  const other = logs.next("another", 0);
  await clock.advance(5_000);
  assert.deepEqual(await Promise.all([silent, other]), [null, null]);
  const last = logs.next("run", 0);
  ledger.log("info", "bye");
  await settled();
  end();
  assert.deepEqual(await last, { lines: ["info: bye"], count: 1 });
  const { end: endAgain } = logs.begin("run");
  const waiting = logs.next("run", 0);
  endAgain();
  assert.equal(await waiting, null);
  assert.equal(clock.pending, 0);
});
