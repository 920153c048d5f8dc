/** Nothing bypasses the proxy, not even when the bridge is gone or by WebRTC; and the bridge's own refusals. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { openProfile } from "../../actors/profile/launch-by-proxy.ts";
import { navigate } from "../../actors/profile/page/navigate.ts";
import { openBridge } from "../../actors/profile/proxy/bridge.ts";
import { sayingWhy } from "../../actors/profile/proxy/failed-load.ts";
import { startNotingHttp, startSilent } from "../actors/proxies/servers.ts";
import { chromiumPath, profileId } from "./fixture/profile.ts";
import { createProxyRig, failureOf, type ProxyRig, plain, valueIn } from "./fixture/proxied.ts";
import { gatherCandidates, startStun } from "./fixture/stun.ts";

/** Only the proxy knows this name, where no echo service is: the launch continues without an exit. */
const noEcho = { echoUrl: "http://echo.test/" };

let rig: ProxyRig;
before(async () => {
  rig = await createProxyRig();
});
afterEach(() => rig.endTest());
after(() => rig.close());

describe("the bridge", () => {
  test("makes loads fail with an error when it is killed, and nothing bypasses the proxy", async () => {
    const proxy = await rig.opens(startNotingHttp(rig.site.port));
    const dir = await rig.makeDir();
    const opening = openProfile({
      spec: {
        profileId,
        name: "Test",
        os: "linux",
        timezone: "UTC",
        fingerprint: null,
        languages: [],
        ...rig.through(proxy.upstream, noEcho),
        userDataDir: `${dir}/user-data`,
        uploadsDir: `${dir}/uploads`,
      },
      options: { diagnostic: false, headless: true, idleTimeoutSecs: 0 },
      engine: { chromiumPath, tempDir: `${dir}/temp`, hasDisplay: false, launchesAtOnce: 1 },
      onSpawned: () => {},
      signal: new AbortController().signal,
    });
    const browser = await rig.opens(opening);
    const tab = await browser.tabs.current();
    await tab.ready;
    await navigate(browser.tabs, tab, rig.site.url);
    const before = rig.seen.length;
    assert.ok(before > 0);
    await browser.bridge?.close();
    for (const url of [rig.site.url, "http://plain.test/", `https://127.0.0.1:${rig.site.port}/`]) {
      const words = await failureOf(sayingWhy(browser.bridge, url, navigate(browser.tabs, tab, url)));
      assert.match(
        words,
        /net::ERR_PROXY_CONNECTION_FAILED: the connection to the proxy HOST has failed inside Troupe; stop and launch the profile$/,
      );
    }
    assert.equal(rig.seen.length, before);
  });

  test("refuses the browser's own requests, listens on 127.0.0.1 only, and distinguishes a slow proxy from a dead one", async () => {
    const silent = await rig.opens(startSilent("socks5"));
    const bridge = await rig.opens(openBridge(silent.upstream));
    for (const host of ["background.invalid", "update.googleapis.com"]) {
      assert.match(
        await said(bridge.port, "127.0.0.1", `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
        /^HTTP\/1\.1 403 /,
      );
    }
    assert.match(
      await said(bridge.port, "127.0.0.1", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
      /^HTTP\/1\.1 400 |^$/,
    );
    await assert.rejects(said(bridge.port, "127.0.0.2", ""), /ECONNREFUSED/);
    const slow = "the proxy HOST is too slow: it accepted the connection and did not answer within N ms";
    assert.equal(plain((await bridge.why("https://secure.test/", 100)) ?? ""), slow);
  });
});

test("WebRTC reaches a STUN server from a profile without a proxy, and not from one with a proxy", async () => {
  const stun = await rig.opens(startStun());
  const gather = gatherCandidates(stun.port);
  const proxy = await rig.opens(startNotingHttp(rig.site.port));
  const spec = rig.through(proxy.upstream, noEcho);
  for (const diagnostic of [false, true]) {
    const profile = await rig.launched(spec, { diagnostic });
    await profile.page.navigate({ url: "http://plain.test/" });
    assert.deepEqual(await valueIn(profile, gather), []);
    assert.equal(stun.packets, 0);
  }
  const direct = await rig.launched({});
  await direct.page.navigate({ url: rig.site.url });
  assert.ok(String(await valueIn(direct, gather)).includes("srflx"));
  assert.ok(stun.packets > 0);
});

function said(port: number, host: string, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, host, () => socket.write(words));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.once("error", reject).once("close", () => resolve(text));
  });
}
