/** A page that shows dialogs without end makes neither replies nor errors grow without end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CdpSession } from "../../actors/profile/cdp/session.ts";
import { Dialogs } from "../../actors/profile/page/dialogs.ts";
import { verbFault } from "../../actors/profile/page/faults.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";

test("of many long dialogs a verb reports the first ones, and its error names fewer", () => {
  let show = (_event: { type: string; message: string }): void => {};
  const session = {
    on: (event: string, hear: typeof show) => {
      if (event === "Page.javascriptDialogOpening") show = hear;
      return () => {};
    },
    send: async () => ({}),
  } as unknown as CdpSession; // A stand-in: what it is sent does not matter here.
  const dialogs = new Dialogs();
  dialogs.watch(session);
  const met = dialogs.collect();
  for (let shown = 0; shown < 1_000; shown += 1) show({ type: "alert", message: "x".repeat(300_000) });
  const reported = met();
  assert.equal(reported.length, limits.dialogsMax);
  assert.ok(reported.every(({ message }) => message.length === limits.dialogCharsMax));
  const { message } = verbFault("click", new Fault("conflict", "the page does not answer"), reported);
  assert.ok(message.length < 2_000, `${message.length} characters`);
  assert.match(message, /, and more dialogs$/);
});
