/** A tab that closes during input: each pending event fails, and the verb reports it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { CdpSession, failureOf } from "../../actors/profile/cdp/session.ts";
import { Dialogs } from "../../actors/profile/page/dialogs.ts";
import { type InputEvent, TabInput } from "../../actors/profile/page/input.ts";

const key: InputEvent = { method: "Input.dispatchKeyEvent", params: { type: "char", text: "a" } };

test("input for a closing tab fails once, whatever was pending", async () => {
  let lastId = 0;
  const transmit = () => {
    lastId += 1;
    return lastId;
  };
  const session = new CdpSession({ transmit, callMs: () => 1_000, inputBegins: () => () => {} }, "S1", "T1");
  const given = new TabInput(session, new Dialogs()).give([key, key, key]);
  const failure = given.then(() => "none", failureOf);
  assert.ok(lastId >= 3);
  session.close("session-closed", "the tab or frame was closed");
  assert.equal(await failure, "session-closed");
  await turn(); // After this turn, an unhandled rejection would fail the test.
});
