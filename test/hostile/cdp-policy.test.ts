/** The CDP policy: which messages of a script reach the browser, however they are written. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { machineOf } from "../../actors/kernel/this-machine.ts";
import { methodRefusal } from "../../actors/profile/cdp-methods.ts";
import { createCdpPolicy } from "../../actors/profile/cdp-policy.ts";

const heldAddresses = [
  "https://example.com/x",
  "http://127.0.0.1:4444/x",
  "http://[::ffff:0:0]:4444/x",
  "http://127.0.0.1:5555/json/x",
  "http://127.0.0.1:8080/x",
  "http://[::ffff:c0a8:107]:8080/",
  "https://app.localhost/",
];

const options = {
  fileDirs: ["/data/uploads", "/scratch/one"],
  downloadDir: "/scratch",
  refusedPorts: [4444, 80],
  isThisMachine: machineOf({ name: "mybox", addresses: ["192.168.1.7", "fe80::1"], hosts: "" }),
};
const policies = { true: policyOf(true), false: policyOf(false) };
const approved = policies.true.judge;
const unapproved = policies.false.judge;

/** With a request paused for the script at each address; its id is the address. */
function policyOf(isApproved: boolean) {
  const policy = createCdpPolicy({ ...options, approved: isApproved });
  for (const url of heldAddresses) {
    const params = { requestId: url, request: { url } };
    policy.hear(JSON.stringify({ method: "Fetch.requestPaused", params, sessionId: "S" }));
  }
  return policy;
}

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
  ["DOM.setFileInputFiles", { files: ["a.txt"] }],
  ["Input.dispatchDragEvent", { type: "drop", data: { items: [], files: ["a.txt"] } }],
  ["Browser.setDownloadBehavior", { behavior: "default" }],
  ["Browser.setDownloadBehavior", { behavior: "default", downloadPath: "/scratch/temp" }],
  ["Browser.setDownloadBehavior", { behavior: "allow" }],
  ["Browser.setDownloadBehavior", { behavior: "allow", downloadPath: ".ssh" }],
  ["Page.setDownloadBehavior", { behavior: "default" }],
  ["Page.setDownloadBehavior", { behavior: "allow", downloadPath: ".ssh" }],
  ["Page.setDownloadBehavior", { behavior: "allow" }],
  ["Browser.grantPermissions", { permissions: ["geolocation", "localNetworkAccess"] }],
  ["Browser.grantPermissions", { permissions: ["localNetwork"] }],
  ["Browser.grantPermissions", { permissions: ["loopbackNetwork"] }],
  ["Browser.grantPermissions", {}],
  ["Browser.setPermission", { permission: { name: "local-network-access" }, setting: "granted" }],
  ["Browser.setPermission", { permission: { name: "loopback-network" }, setting: "granted" }],
  ["Browser.setPermission", { permission: "local-network", setting: "granted" }],
  ["Network.setRequestInterception", { patterns: [{}] }],
  ["Network.continueInterceptedRequest", { interceptionId: "1", rawResponse: "" }],
  ["Fetch.fulfillRequest", { requestId: "http://127.0.0.1:4444/x", responseCode: 200 }],
  ["Fetch.fulfillRequest", { requestId: "http://[::ffff:0:0]:4444/x", responseCode: 200 }],
  ["Fetch.fulfillRequest", { requestId: "http://127.0.0.1:5555/json/x", responseCode: 200 }],
  ["Fetch.fulfillRequest", { requestId: "never held", responseCode: 200 }],
  ["Fetch.fulfillRequest", { responseCode: 200 }],
  ["Fetch.continueResponse", { requestId: "http://127.0.0.1:4444/x", responseCode: 200 }],
  ["Fetch.continueRequest", { requestId: "http://127.0.0.1:4444/x", url: "https://example.com/" }],
  ["FileSystem.getDirectory", {}],
  ["Target.getDevToolsTarget", {}],
  ["ServiceWorker.inspectWorker", { versionId: "1" }],
  ["Made.up", {}],
  ["constructor", {}],
  ["__proto__.x", {}],
  ["", {}],
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
  ["Browser.setDownloadBehavior", { behavior: "deny" }],
  ["Browser.grantPermissions", { permissions: ["geolocation", "clipboardReadWrite"] }],
  ["Browser.setPermission", { permission: { name: "clipboard-read" }, setting: "granted" }],
  ["Fetch.fulfillRequest", { requestId: "https://example.com/x", responseCode: 200 }],
  ["Fetch.fulfillRequest", { requestId: "http://127.0.0.1:8080/x", responseCode: 200 }],
  ["Fetch.continueRequest", { requestId: "http://127.0.0.1:4444/x" }],
  ["Fetch.continueRequest", { requestId: "https://example.com/x", url: "https://example.org/" }],
  ["Emulation.setFocusEmulationEnabled", { enabled: true }],
  ["Network.setExtraHTTPHeaders", { headers: { "X-Mine": "1" } }],
  ["DOM.setFileInputFiles", { files: ["/data/uploads/a.txt", "/scratch/one/sub/b.txt"] }],
];

const libraries: Readonly<Record<string, readonly string[]>> = {
  "puppeteer-core/lib/es5-iife/puppeteer-core-browser.js": [
    "Browser.close",
    "Browser.setContentsSize",
    "Browser.setWindowBounds",
    "Extensions.getExtensions",
    "Extensions.loadUnpacked",
    "Extensions.triggerAction",
    "Extensions.uninstall",
    "Network.setUserAgentOverride",
    "Security.setIgnoreCertificateErrors",
    "Target.createBrowserContext",
    "Target.disposeBrowserContext",
    "Target.getDevToolsTarget",
    "Target.openDevTools",
    "Tracing.end",
    "Tracing.start",
  ],
  "playwright-core/lib/coreBundle.js": [
    "Browser.close",
    "Browser.setDockTile",
    "Browser.setWindowBounds",
    "Page.deleteCookie",
    "Page.setFontFamilies",
    "Page.setTouchEmulationEnabled",
    "Security.setIgnoreCertificateErrors",
    "Target.createBrowserContext",
    "Target.disposeBrowserContext",
    "Target.sendMessageToTarget",
    "Tracing.end",
    "Tracing.start",
  ],
};

function methodsIn(file: string): string[] {
  const known = new Set<string>();
  for (const part of ["browser", "js"]) {
    const { domains } = JSON.parse(textOf(`devtools-protocol/json/${part}_protocol.json`));
    for (const { domain, commands } of domains)
      if (domain !== "Emulation") for (const { name } of commands) known.add(`${domain}.${name}`);
  }
  const named = textOf(file).match(/\b[A-Z]\w+\.[a-z]\w+(?=["'])/g) ?? [];
  return [...new Set(named)].filter((method) => known.has(method)).sort();
}

function textOf(file: string): string {
  return readFileSync(new URL(`../../node_modules/${file}`, import.meta.url), "utf8");
}

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
    it(`keeps an unapproved script from this machine: ${url}`, () => {
      assert.match(refusal("Page.navigate", { url }, unapproved) ?? "", /only an approved script/);
    });

  it("lets an unapproved script open all other addresses", () => {
    assert.equal(refusal("Page.navigate", { url: "https://example.com/" }, unapproved), null);
  });

  for (const [method, change] of [
    ["Fetch.fulfillRequest", {}],
    ["Fetch.continueResponse", {}],
    ["Fetch.continueRequest", { url: "https://example.com/" }],
  ] as const)
    it(`keeps an unapproved script from answering a request to this machine by ${method}`, () => {
      for (const requestId of heldAddresses.slice(1))
        assert.match(refusal(method, { requestId, ...change }, unapproved) ?? "", /only an approved script/);
      const requestId = "https://example.com/x";
      assert.equal(refusal(method, { requestId, ...change }, unapproved), null);
    });

  it("identifies a paused request by its session and its number", () => {
    const message = {
      id: 1,
      sessionId: "T",
      method: "Fetch.fulfillRequest",
      params: { requestId: heldAddresses[0] },
    };
    assert.ok("reply" in approved(JSON.stringify(message)));
  });

  it("judges a redirected request by its new address", () => {
    const { judge, hear } = policyOf(false);
    const paused = (url: string) =>
      hear(JSON.stringify({ method: "Fetch.requestPaused", params: { requestId: "1", request: { url } } }));
    const answer = () =>
      judge(JSON.stringify({ id: 1, method: "Fetch.fulfillRequest", params: { requestId: "1" } }));
    paused("https://example.com/");
    assert.ok("forward" in answer());
    paused("http://127.0.0.1:8080/");
    assert.ok("reply" in answer());
  });

  it("forwards the value that it judged when a key appears twice", () => {
    const judgement = approved('{"id":1,"method":"Browser.close","method":"Browser.getVersion"}');
    assert.deepEqual(judgement, { forward: { id: 1, method: "Browser.getVersion" } });
  });

  for (const [file, notForScripts] of Object.entries(libraries))
    it(`lets all commands of ${file.split("/")[0]} for a page pass`, () => {
      const methods = methodsIn(file);
      assert.ok(methods.length > 80);
      assert.deepEqual(
        methods.filter((method) => methodRefusal(method) !== null),
        notForScripts,
      );
    });

  it("answers an invalid message with an error", () => {
    assert.ok("reply" in approved("[]"));
    assert.ok("reply" in approved("nonsense"));
  });
});
