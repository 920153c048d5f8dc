/** The CDP policy: which messages of a script reach the browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCdpPolicy } from "../../actors/profile/cdp-policy.ts";

const judge = createCdpPolicy({
  fileDirs: ["/data/uploads", "/scratch/one"],
  debuggingUrl: "http://127.0.0.1:4444",
});

/** The refusal's text, or null when the message goes to the browser. */
function refusal(method: string, params: Record<string, unknown> = {}): string | null {
  const judgement = judge(JSON.stringify({ id: 7, sessionId: "S", method, params }));
  if ("forward" in judgement) return null;
  const reply: unknown = JSON.parse(judgement.reply);
  assert.ok(
    typeof reply === "object" && reply !== null && "error" in reply && "id" in reply && "sessionId" in reply,
  );
  assert.deepEqual([reply.id, reply.sessionId], [7, "S"]);
  return JSON.stringify(reply.error);
}

const refused: [string, Record<string, unknown>][] = [
  ["Browser.close", {}],
  ["Browser.crash", {}],
  ["Browser.setWindowBounds", { windowId: 1 }],
  ["Target.createBrowserContext", {}],
  ["Target.disposeBrowserContext", { browserContextId: "x" }],
  ["Target.sendMessageToTarget", { message: "{}" }],
  ["Emulation.setDeviceMetricsOverride", {}],
  ["Emulation.setUserAgentOverride", { userAgent: "x" }],
  ["Emulation.setTimezoneOverride", { timezoneId: "UTC" }],
  ["Network.setUserAgentOverride", { userAgent: "x" }],
  ["SystemInfo.getInfo", {}],
  ["Tracing.start", {}],
  ["Page.navigate", { url: "file:///etc/hostname" }],
  ["Page.navigate", { url: "FILE:///etc/hostname" }],
  ["Page.navigate", { url: "chrome://version" }],
  ["Page.navigate", { url: "view-source:file:///etc/hostname" }],
  ["Page.navigate", { url: "http://127.0.0.1:4444/json/version" }],
  ["Page.navigate", { url: "http://127.1:4444/" }],
  ["Page.navigate", { url: "http://[::ffff:127.0.0.1]:4444/" }],
  ["Page.navigate", { url: "http://localhost:5555/json/version" }],
  ["Target.createTarget", { url: "file:///etc/hostname" }],
  ["DOM.setFileInputFiles", { files: ["/etc/passwd"] }],
  ["DOM.setFileInputFiles", { files: ["/data/uploads/a.txt", "/data/uploads/../secret"] }],
  ["DOM.setFileInputFiles", { files: ["/data/uploads-of-another/a.txt"] }],
];

const allowed: [string, Record<string, unknown>][] = [
  ["Page.navigate", { url: "https://example.com/json" }],
  ["Page.navigate", { url: "http://127.0.0.1:8080/shop" }],
  ["Page.navigate", { url: "about:blank" }],
  ["Target.createTarget", { url: "about:blank" }],
  ["Runtime.evaluate", { expression: "1" }],
  ["Emulation.setFocusEmulationEnabled", { enabled: true }],
  ["DOM.setFileInputFiles", { files: ["/data/uploads/a.txt", "/scratch/one/sub/b.txt"] }],
];

describe("the CDP policy", () => {
  for (const [method, params] of refused)
    it(`refuses ${method} ${JSON.stringify(params)}`, () => {
      assert.match(refusal(method, params) ?? "", /is refused: /);
    });

  for (const [method, params] of allowed)
    it(`lets ${method} ${JSON.stringify(params)} pass`, () => {
      assert.equal(refusal(method, params), null);
    });

  it("sends what it judged, when a key comes twice", () => {
    const judgement = judge('{"id":1,"method":"Browser.close","method":"Browser.getVersion"}');
    assert.deepEqual(judgement, { forward: '{"id":1,"method":"Browser.getVersion"}' });
  });

  it("answers what is no message with an error", () => {
    assert.ok("reply" in judge("[]"));
    assert.ok("reply" in judge("nonsense"));
  });
});
