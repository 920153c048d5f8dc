/** A handoff has one end, whoever ends it first. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createHandoff } from "../../actors/profile/handoff.ts";
import { Fault } from "../../protocol/faults.ts";

function open() {
  const clock = new ManualClock(0);
  const changes: object[] = [];
  const inTurn = (begin: () => Promise<void>) => begin();
  const handoff = createHandoff({ clock, inTurn, changed: (change) => void changes.push(change) });
  return { clock, changes, handoff };
}
const wish = { message: "Look", timeoutMs: 1_000 };

test("of two answers at once the first counts, and the second is refused", async () => {
  const { handoff, changes } = open();
  const asked = handoff.ask(wish);
  handoff.end("handed_back");
  assert.throws(() => handoff.end("refused"), /not handed to the user/);
  handoff.refuseVerbs();
  handoff.close(new Fault("conflict", "it is stopping"));
  assert.equal(await asked, "handed_back");
  assert.deepEqual(changes, [{ message: "Look" }, { outcome: "handed_back" }]);
});

test("a caller that leaves ends its own handoff and no other", async () => {
  const { handoff, changes, clock } = open();
  const asked = handoff.ask({ ...wish, ticket: "one" });
  handoff.leave("two");
  assert.equal(handoff.isOn(), true);
  handoff.leave("one");
  await assert.rejects(asked, /the caller has disconnected/);
  const next = handoff.ask({ ...wish, ticket: "two" });
  handoff.leave("one");
  await clock.advance(1_000);
  assert.equal(await next, "timed_out");
  assert.deepEqual(changes.slice(1), [{ outcome: "stopped" }, { message: "Look" }, { outcome: "timed_out" }]);
});
