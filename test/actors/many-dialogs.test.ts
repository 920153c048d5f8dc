/** A page that shows dialogs without end makes neither replies nor errors grow without end. */
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";
import { connect } from "../../actors/profile/cdp/connection.ts";
import { Dialogs } from "../../actors/profile/page/dialogs.ts";
import { verbFault } from "../../actors/profile/page/faults.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";

test("of many long dialogs a verb reports the first ones, and its error names fewer", async (t) => {
  const fromBrowser = new PassThrough();
  const { root, close } = connect(new PassThrough().resume(), fromBrowser);
  t.after(() => close());
  const dialogs = new Dialogs();
  dialogs.watch(root, () => true);
  const met = dialogs.collect();
  const loaded = new Promise((resolve) => root.on("Page.loadEventFired", resolve));
  const params = { type: "alert", message: "x".repeat(limits.dialogCharsMax * 2) };
  for (let shown = 0; shown <= limits.dialogsMax * 2; shown += 1)
    fromBrowser.write(encode({ method: "Page.javascriptDialogOpening", params }));
  fromBrowser.write(encode({ method: "Page.loadEventFired", params: {} }));
  await loaded;
  const reported = met();
  assert.equal(reported.length, limits.dialogsMax);
  assert.ok(reported.every(({ message }) => message.length === limits.dialogCharsMax));
  const { message } = verbFault("click", new Fault("conflict", "the page does not answer"), reported);
  assert.ok(message.length < 2_000, `${message.length} characters`);
  assert.match(message, /, and more dialogs$/);
});
