/** The CDP policy: which messages of a script reach the browser. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCdpPolicy } from "../../actors/profile/cdp-policy.ts";

const options = {
  fileDirs: ["/data/uploads", "/scratch/one"],
  downloadDir: "/scratch",
  refusedPorts: [4444, 80],
  ownNames: new Set(["mybox", "192.168.1.7", "[fe80::1]"]),
};
const approved = createCdpPolicy({ ...options, approved: true });
const unapproved = createCdpPolicy({ ...options, approved: false });

/** The refusal's text, or null when the message goes to the browser. */
function refusal(method: string, params: Record<string, unknown> = {}, judge = approved): string | null {
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
  ["Network.setExtraHTTPHeaders", { headers: { "X-Mine": "1", "uSer-Agent": "x" } }],
  ["Network.setExtraHTTPHeaders", { headers: { "Sec-CH-UA-Platform": "Windows" } }],
  ["Network.setExtraHTTPHeaders", { headers: { "accept-language": "fr" } }],
  ["Page.setDeviceMetricsOverride", {}],
  ["Page.setGeolocationOverride", {}],
  ["Page.setTouchEmulationEnabled", {}],
  ["Page.setFontFamilies", {}],
  ["Page.setDeviceOrientationOverride", {}],
  ["DeviceOrientation.setDeviceOrientationOverride", {}],
  ["Page.crash", {}],
  ["Browser.crashGpuProcess", {}],
  ["Browser.setContentsSize", {}],
  ["Browser.getBrowserCommandLine", {}],
  ["Browser.executeBrowserCommand", {}],
  ["Browser.addPrivacySandboxEnrollmentOverride", {}],
  ["Target.setRemoteLocations", {}],
  ["Target.exposeDevToolsProtocol", {}],
  ["Target.openDevTools", {}],
  ["Security.setIgnoreCertificateErrors", { ignore: true }],
  ["Extensions.loadUnpacked", {}],
  ["Tethering.bind", { port: 1 }],
  ["Cast.enable", {}],
  ["PWA.install", {}],
  ["Network.continueInterceptedRequest", { url: "file:///etc/hostname" }],
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
  ["Page.navigate", { url: "http://localhost/" }],
  ["Page.navigate", { url: "http://MyBox:4444/" }],
  ["Page.navigate", { url: "about:version" }],
  ["Target.createTarget", { url: "file:///etc/hostname" }],
  ["Network.loadNetworkResource", { url: "file:///etc/hostname" }],
  ["Fetch.continueRequest", { requestId: "1", url: "http://127.0.0.1:4444/json/list" }],
  ["Input.dispatchDragEvent", { type: "drop", data: { items: [], files: ["/etc/passwd"] } }],
  ["Browser.setDownloadBehavior", { behavior: "allow", downloadPath: "/home" }],
  ["Page.setDownloadBehavior", { behavior: "allow", downloadPath: "/scratch/../home" }],
  ["DOM.setFileInputFiles", { files: ["/etc/passwd"] }],
  ["DOM.setFileInputFiles", { files: ["/data/uploads/a.txt", "/data/uploads/../secret"] }],
  ["DOM.setFileInputFiles", { files: ["/data/uploads-of-another/a.txt"] }],
];

const allowed: [string, Record<string, unknown>][] = [
  ["Page.navigate", { url: "https://example.com/json" }],
  ["Page.navigate", { url: "http://127.0.0.1:8080/shop" }],
  ["Page.navigate", { url: "http://mybox:8080/shop" }],
  ["Page.navigate", { url: "about:blank" }],
  ["Target.createTarget", { url: "about:blank" }],
  ["Runtime.evaluate", { expression: "1" }],
  ["Fetch.continueRequest", { requestId: "1" }],
  ["Input.dispatchDragEvent", { type: "drop", data: { items: [], files: ["/data/uploads/a.txt"] } }],
  ["Input.dispatchDragEvent", { type: "dragCancel" }],
  ["Browser.setDownloadBehavior", { behavior: "allowAndName", downloadPath: "/scratch/temp" }],
  ["Browser.setDownloadBehavior", { behavior: "default" }],
  ["Emulation.setFocusEmulationEnabled", { enabled: true }],
  ["Network.setExtraHTTPHeaders", { headers: { "X-Mine": "1" } }],
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

  for (const url of [
    "http://127.0.0.1:8080/shop",
    "http://localhost:8080/",
    "http://app.localhost/",
    "https://[::1]/",
    "http://0.0.0.0:8080/",
    "http://2130706433/",
    "http://mybox.:8080/",
    "http://192.168.1.7/",
    "http://[FE80:0::1]/",
  ])
    it(`leads a script that is not approved nowhere on this machine: ${url}`, () => {
      assert.match(refusal("Page.navigate", { url }, unapproved) ?? "", /not approved/);
    });

  it("leads a script that is not approved everywhere else", () => {
    assert.equal(refusal("Page.navigate", { url: "https://example.com/" }, unapproved), null);
  });

  it("sends what it judged, when a key comes twice", () => {
    const judgement = approved('{"id":1,"method":"Browser.close","method":"Browser.getVersion"}');
    assert.deepEqual(judgement, { forward: { id: 1, method: "Browser.getVersion" } });
  });

  it("answers what is no message with an error", () => {
    assert.ok("reply" in approved("[]"));
    assert.ok("reply" in approved("nonsense"));
  });
});
