/** One tab at a time reports a context's service workers, and another takes over when it closes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CdpSession, type Wire } from "../../actors/profile/cdp/session.ts";
import { watchVersions } from "../../actors/profile/identity/worker-versions.ts";
import { unread } from "./pipe.ts";

test("one tab reports its context's workers until it closes, and then the next one does", async () => {
  const sent: string[] = [];
  let lastId = 0;
  const wire: Wire = {
    transmit(session, method) {
      sent.push(`${session.id} ${method}`);
      lastId += 1;
      return lastId;
    },
    callMs: () => 1_000,
    inputBegins: () => () => {},
  };
  const root = new CdpSession(wire, null, null);
  const heard: string[] = [];
  const versions = watchVersions(root, ({ targetId, runningStatus }) =>
    heard.push(`${targetId} ${runningStatus}`),
  );
  const tabs = ["ONE", "TWO", "OTHER"].map((id) => new CdpSession(wire, id, `tab ${id}`));
  const [one, two, other] = tabs;
  assert.ok(one && two && other);
  versions.tab(one, "default");
  versions.tab(two, "default");
  versions.tab(other, "another");
  assert.deepEqual(sent, [], "nothing was requested yet");

  const status = versions.statusOf("WORKER", "default");
  assert.deepEqual(sent.splice(0), ["ONE ServiceWorker.enable"]);
  const version = { versionId: "0", registrationId: "0", scriptURL: "", targetId: "WORKER" };
  const update = (runningStatus: string) => ({
    versions: [{ ...version, runningStatus, status: "activated" }],
  });
  one.emit("ServiceWorker.workerVersionUpdated", unread(update("running")));
  assert.equal(await status, "activated");

  // The session's last event comes before its end.
  root.emit("Target.detachedFromTarget", unread({ sessionId: "ONE" }));
  one.close("session-closed", "the tab was closed");
  assert.deepEqual(sent.splice(0), ["TWO ServiceWorker.enable"]);
  two.emit("ServiceWorker.workerVersionUpdated", unread(update("stopping")));
  assert.deepEqual(heard, ["WORKER running", "WORKER stopping"]);

  root.emit("Target.detachedFromTarget", unread({ sessionId: "TWO" }));
  two.close("session-closed", "the tab was closed");
  assert.deepEqual(sent.splice(0), [], "a tab of another context is not used");
  versions.tab(new CdpSession(wire, "THREE", "tab THREE"), "default");
  assert.deepEqual(sent.splice(0), ["THREE ServiceWorker.enable"]);
});
