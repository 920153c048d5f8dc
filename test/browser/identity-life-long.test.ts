/** Diagnostic launches have no identity, fonts and languages follow the profile, and a browser without its controller ends. */
import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { windowsDevice } from "./fixture/identity-devices.ts";
import { openIdentitySite } from "./fixture/identity-site.ts";
import { chromiumPath, createTestProfile, makeDir, openTestBrowser, removeDir } from "./fixture/profile.ts";

let dir = "";
before(async () => {
  dir = await makeDir();
});
after(() => removeDir(dir));

const look = `(() => {
  const context = document.createElement("canvas").getContext("2d");
  const width = (font) => { context.font = "40px " + font; return context.measureText("mmmmmmmmmmlli").width; };
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { platform: navigator.platform, agent: navigator.userAgent, locale, timeZone, webdriver: navigator.webdriver,
    segoe: width("'Segoe UI', monospace") !== width("monospace"), nothing: width("'No Such Font', monospace") !== width("monospace") };
})()`;

test("fonts of the profile's system are found by name, and Intl uses its language with and without translations", async () => {
  for (const translated of [true, false]) {
    const profile = createTestProfile(dir, { cacheDir: dir });
    await profile.open({}, windowsDevice);
    const { result } = await profile.page.evaluate({ expression: look });
    await profile.control.stop({});
    const seen = result as Record<string, unknown>;
    assert.equal(
      seen.locale,
      "de",
      translated ? "from the browser's translations, if they exist" : "overridden",
    );
    assert.deepEqual([seen.segoe, seen.nothing, seen.platform], [true, false, "Win32"]);
    const file = join(dir, "engine.json");
    const kept = JSON.parse(await readFile(file, "utf8"));
    assert.match(kept.facts.version, /^\d+(\.\d+){3}$/);
    kept.facts.localesDir = null; // Simulates a machine without the translations.
    await writeFile(file, JSON.stringify(kept));
  }
});

test("a diagnostic launch shows the machine's own values, but not that it is automated", async () => {
  const profile = createTestProfile(dir);
  await profile.open({ diagnostic: true }, windowsDevice);
  const { result } = await profile.page.evaluate({ expression: look });
  await profile.control.stop({});
  const seen = result as Record<string, unknown>;
  assert.notEqual(seen.platform, "Win32");
  assert.doesNotMatch(String(seen.agent), /Windows/);
  assert.notEqual(seen.timeZone, windowsDevice.timezone);
  assert.equal(seen.webdriver, false);
});

test("an engine that fails to report its version is named in the error, with its last output", async () => {
  const engine = join(dir, "engine.sh");
  await writeFile(engine, "#!/bin/sh\necho 'no such library: libfoo' >&2\nexit 7\n");
  await chmod(engine, 0o755);
  const profile = createTestProfile(join(dir, "broken"), { chromium: engine });
  await assert.rejects(profile.open({}, windowsDevice), {
    kind: "conflict",
    message: /engine failed to start: exit code 7: no such library: libfoo/,
  });
});

for (const way of ["from the site", "through its service worker", "through it, stopped and started again"])
  test(`a tab that a page opens without a click, ${way}, has the profile's hints in its first request`, async () => {
    const site = await openIdentitySite();
    const browser = await openTestBrowser(join(dir, way), windowsDevice);
    try {
      const { session } = await browser.tabs.current();
      const open = (realm: string) => {
        session.send("Page.navigate", { url: `${site.origin}/frame?${realm}` }).catch(() => {});
        return site.seen([realm]);
      };
      const evaluate = (expression: string) =>
        session.send("Runtime.evaluate", { expression, userGesture: true, awaitPromise: true });
      await open("opener");
      if (way !== "from the site") {
        const registered = `navigator.serviceWorker.register("/service.js?service")`;
        await evaluate(`${registered}.then(() => navigator.serviceWorker.ready)`);
      }
      if (way.endsWith("again")) {
        await session.send("ServiceWorker.enable", {});
        await session.send("ServiceWorker.stopAllWorkers", {});
        await open("again");
      }
      // As for a site that may open windows: without input to the page.
      await evaluate(`void window.open("/popup?unasked", "_blank", "noopener")`);
      await site.seen(["unasked"]);
      const first = site.requests.find(({ what }) => what.endsWith("?unasked"));
      assert.equal(first?.headers["sec-ch-ua-platform"], '"Windows"');
      assert.equal(first?.headers["sec-ch-ua-platform-version"], '"15.0.0"');
    } finally {
      await browser.close();
      await site.close();
    }
  });

test("a browser that loses its control channel ends, and never runs without its values", async () => {
  assert.ok(chromiumPath);
  const browser = await openTestBrowser(dir);
  browser.connection.close();
  await browser.process.ended;
  await browser.discard();
});
