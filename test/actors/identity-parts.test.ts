/** Parts of the identity that need no browser: interface languages, headers, the script, clients' workers, fonts. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fontsFileOf } from "../../actors/profile/chromium/fonts.ts";
import { switchesOf } from "../../actors/profile/chromium/switches.ts";
import { clientWorkers } from "../../actors/profile/identity/client-workers.ts";
import { mendedHeaders } from "../../actors/profile/identity/corrected-requests.ts";
import { watchNewTabs } from "../../actors/profile/identity/new-tab-requests.ts";
import { pageScriptOf } from "../../actors/profile/identity/page-script.ts";
import { uiLocaleOf } from "../../actors/profile/identity/ui-locale.ts";
import { macDevice, windowsDevice } from "../browser/fixture/identity-devices.ts";

test("the interface language is the first preferred one that Chromium supports, as Chromium resolves it", () => {
  const cases: [string[], string | null][] = [
    [[], null],
    [["de-DE", "de"], "de"],
    [["en-US", "en"], "en-US"],
    [["en-AU", "en"], "en-GB"],
    [["es-MX"], "es-419"],
    [["es-ES"], "es"],
    [["pt"], "pt-BR"],
    [["zh-HK"], "zh-TW"],
    [["xx-YY", "fr-CA"], "fr"],
    [["xx"], "en-US"],
  ];
  for (const [languages, locale] of cases) assert.equal(uiLocaleOf(languages), locale, languages.join());
});

test("only wrong hints are changed, and none when a client set another user agent for the tab", () => {
  const shown = { userAgent: "ours", hints: new Map([["sec-ch-ua-platform", '"Windows"']]) };
  const given = { "User-Agent": "ours", "Sec-CH-UA-Platform": '"Linux"', Accept: "*/*" };
  assert.deepEqual(mendedHeaders(given, shown), [
    { name: "User-Agent", value: "ours" },
    { name: "Sec-CH-UA-Platform", value: '"Windows"' },
    { name: "Accept", value: "*/*" },
  ]);
  assert.equal(mendedHeaders({ ...given, "Sec-CH-UA-Platform": '"Windows"' }, shown), null);
  assert.equal(mendedHeaders({ ...given, "User-Agent": "theirs" }, shown), null);
});

test("new tabs' first requests are watched from the first input until after the last one", async () => {
  const sent: string[] = [];
  let onEnd = () => {};
  const root = {
    send: async (method: string): Promise<never> => {
      sent.push(method);
      onEnd();
      throw new Error("the browser is gone");
    },
  };
  const enable = async () => sent.push("enable");
  const newTabs = watchNewTabs(root, enable, 1);
  const alive = setInterval(() => {}, 1_000); // The tested timer is unreferenced.
  for (const round of [1, 2]) {
    const ended = new Promise<void>((resolve) => {
      onEnd = resolve;
    });
    const [first, second] = [newTabs.watch(), newTabs.watch()];
    await first.ready;
    first.end();
    first.end();
    const third = newTabs.watch();
    second.end();
    assert.equal(sent.length, 2 * round - 1, "still on");
    third.end();
    await ended;
  }
  clearInterval(alive);
  assert.deepEqual(sent, ["enable", "Fetch.disable", "enable", "Fetch.disable"]);
});

test("a profile of the host's system with the host's graphics has no script", () => {
  const { fingerprint } = windowsDevice;
  assert.equal(pageScriptOf({ platform: null, device: { ...fingerprint, gpu: null } }), null);
  assert.match(pageScriptOf({ platform: "Win32", device: fingerprint }) ?? "", /Win32/);
});

test("sizes are passed to the browser in the screen's own pixels, and the window fills the space between the bars", () => {
  const input = {
    userDataDir: "/data",
    asRoot: false,
    device: { userAgent: "UA", screen: macDevice.fingerprint.screen },
  };
  const headless = switchesOf({ ...input, headless: true });
  assert.ok(
    headless.includes(
      "--screen-info={0,0 3024x1964 devicePixelRatio=2 workAreaTop=66 workAreaBottom=140 colorDepth=30}",
    ),
  );
  const windowed = switchesOf({ ...input, headless: false });
  assert.ok(windowed.includes("--window-size=1512,879") && windowed.includes("--window-position=0,33"));
});

test("clients are detached from a worker in their own protocol, and attached again when it continues", async () => {
  const workers = clientWorkers();
  const join = (targetId: string | null) => {
    const said: object[] = [];
    const followed = workers.follow({
      targetId,
      put: (message) => said.push(message),
      close: () => said.push({ close: true }),
      settled: async () => {},
    });
    return { said, followed, hear: (message: object) => followed.receive(JSON.stringify(message)) };
  };
  const announced = (sessionId: string, targetId: string, sessionOf?: string) => ({
    method: "Target.attachedToTarget",
    params: { sessionId, targetInfo: { targetId, type: "service_worker" } },
    ...(sessionOf === undefined ? {} : { sessionId: sessionOf }),
  });
  const one = join(null);
  const two = join("WORKER");
  const three = join("PAGE");
  assert.equal(one.hear(announced("S1", "WORKER")), false);
  one.hear(announced("S2", "WORKER", "TAB"));
  one.hear(announced("S3", "OTHER"));
  one.hear(announced("S4", "WORKER"));
  one.hear({ method: "Target.detachedFromTarget", params: { sessionId: "S4" } });

  const { done, attachAgain } = workers.detach("WORKER");
  const detaching = (id: number, sessionId: string) => ({
    id,
    method: "Target.detachFromTarget",
    params: { sessionId },
  });
  assert.deepEqual(one.said, [
    detaching(-1_947_000_001, "S1"),
    { ...detaching(-1_947_000_002, "S2"), sessionId: "TAB" },
  ]);
  assert.deepEqual(two.said, [{ close: true }]);
  assert.deepEqual(three.said, []);
  two.followed.end();
  for (const id of [-1_947_000_001, -1_947_000_002]) assert.equal(one.hear({ id, result: {} }), true);
  assert.equal(one.hear({ id: -1_947_000_002, result: {} }), false, "it answers no request");
  await done;

  one.said.length = 0;
  attachAgain();
  const attach = { method: "Target.attachToTarget", params: { targetId: "WORKER", flatten: true } };
  assert.deepEqual(one.said, [
    { id: -1_947_000_003, ...attach },
    { id: -1_947_000_004, ...attach, sessionId: "TAB" },
  ]);
});

test("fonts of another system have their own file, and Linux has none", async () => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-fonts-"));
  const file = await fontsFileOf("windows", dir, "linux");
  assert.match(await readFile(file ?? "", "utf8"), /<family>Segoe UI<\/family>/);
  assert.equal(await fontsFileOf("windows", dir, "linux"), file);
  assert.equal(await fontsFileOf("linux", dir, "linux"), null);
  assert.equal(await fontsFileOf("windows", dir, "darwin"), null);
  await rm(dir, { recursive: true });
});
