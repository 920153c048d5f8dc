/** A profile with a proxy: pages and names use it, and a launch checks its exit. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import type { ProxyUpstream } from "../../protocol/proxies.ts";
import {
  deadUpstream,
  microsocksPath,
  startMicrosocks,
  startNotingHttp,
  startNotingSocks,
  startSilent,
  startTinyproxy,
  tinyproxyPath,
  withProgram,
  wrongPassword,
} from "../actors/proxies/servers.ts";
import type { TestProfile } from "./fixture/profile.ts";
import { createProxyRig, exitIp, exitZone, failureOf, type ProxyRig, valueIn } from "./fixture/proxied.ts";

const zone = "Intl.DateTimeFormat().resolvedOptions().timeZone";
const spawns = ({ notices }: TestProfile) =>
  notices.filter(({ notice }) => notice === "browser-spawned").length;

/** Only the proxy knows this name, where no echo service is: the launch continues without an exit. */
const noEcho = { echoUrl: "http://echo.test/" };

let rig: ProxyRig;
before(async () => {
  rig = await createProxyRig();
});
afterEach(() => rig.endTest());
after(() => rig.close());

describe("pages load through a proxy with a password", () => {
  withProgram(tinyproxyPath, test)("tinyproxy", async () => {
    const proxy = await rig.opens(startTinyproxy({ user: "maria", password: "Secret7" }));
    const profile = await rig.launched(rig.through(proxy.upstream));
    assert.equal((await profile.page.navigate({ url: rig.site.url })).title, "Site");
    assert.match(rig.seen.at(-1)?.via ?? "", /tinyproxy/);
    await proxy.close();
    const before = rig.seen.length;
    assert.match(
      await failureOf(profile.page.navigate({ url: rig.site.url })),
      /failed: net::ERR_\w+: the proxy HOST is dead: it refuses connections$/,
    );
    assert.equal(rig.seen.length, before);
  });

  withProgram(microsocksPath, test)("microsocks", async () => {
    const proxy = await rig.opens(startMicrosocks());
    const profile = await rig.launched(rig.through(proxy.upstream));
    assert.equal((await profile.page.navigate({ url: rig.site.url })).title, "Site");
    await proxy.close();
    const before = rig.seen.length;
    assert.match(
      await failureOf(profile.page.navigate({ url: rig.site.url })),
      /failed: net::ERR_\w+: the proxy HOST is dead: it refuses connections$/,
    );
    assert.equal(rig.seen.length, before);
  });

  for (const start of [startNotingHttp, startNotingSocks]) {
    test(`names reach the proxy unchanged, also this machine's, without the browser's own requests (${start.name})`, async () => {
      const proxy = await rig.opens(start(rig.site.port));
      const profile = await rig.launched(rig.through(proxy.upstream, noEcho));
      assert.match(profile.launched.exit?.error ?? "", /contains no address/); // The site is no echo service: the launch continues.
      for (const url of ["http://plain.test/", "http://localhost:81/", "http://127.0.0.1:82/"]) {
        assert.equal((await profile.page.navigate({ url })).title, "Site");
      }
      const socket =
        "new Promise((resolve) => { new WebSocket('ws://socket.test/').onerror = () => resolve('tried'); })";
      assert.equal(await valueIn(profile, socket), "tried");
      const secure = await failureOf(profile.page.navigate({ url: "https://secure.test/" }));
      assert.match(secure, /failed: net::ERR_SSL_PROTOCOL_ERROR$/); // The site has no TLS; the proxy works.
      const asked = [...new Set(proxy.asked)];
      assert.deepEqual(asked.sort(), [
        "127.0.0.1:82",
        "echo.test:80",
        "localhost:81",
        "plain.test:80",
        "secure.test:443",
        "socket.test:80",
      ]);
      proxy.refuses = true; // New connections: an open one through SOCKS is past the password.
      for (const url of ["http://other.test/", "https://secure.test/"]) {
        assert.match(
          await failureOf(profile.page.navigate({ url })),
          /the proxy HOST refused the user name or password$/,
        );
      }
    });
  }
});

describe("a launch", () => {
  test("is refused with the reason when the proxy is dead, and leaves nothing behind", async () => {
    const http = await rig.opens(startNotingHttp(rig.echoPort));
    const socks = await rig.opens(startNotingSocks(rig.echoPort));
    const silent = await rig.opens(startSilent("http"));
    const dead: [ProxyUpstream, string][] = [
      [wrongPassword(http), "the proxy HOST refused the user name or password"],
      [wrongPassword(socks), "the proxy HOST refused the user name or password"],
      [
        { ...http.upstream, username: null, password: null },
        "the proxy HOST asks for a user name and password, and none is set",
      ],
      [await deadUpstream("http"), "the proxy HOST is dead: it refuses connections"],
      [
        { ...socks.upstream, host: "no-such-host.invalid", port: 9 },
        "the proxy no-such-host.invalid:9 is dead: its host name was not found",
      ],
      [
        silent.upstream,
        "the proxy HOST is too slow: it accepted the connection and did not answer within N ms",
      ],
    ];
    for (const [upstream, words] of dead) {
      const profile = await rig.profile();
      // Only the silent proxy gets a short timeout, because a name look-up can be slow on a busy machine.
      const timeoutMs = upstream === silent.upstream ? 200 : 10_000;
      assert.equal(await failureOf(profile.open({}, rig.through(upstream, { timeoutMs }))), words);
      assert.equal(existsSync(profile.userDataDir), false);
      const last = profile.notices.at(-1);
      if (last?.notice === "browser-spawned") assert.throws(() => process.kill(last.pid, 0));
    }
  });

  test("keeps its browser when the exit is unchanged, and uses the new zone when the exit has moved", async () => {
    const proxy = await rig.opens(startNotingHttp(rig.echoPort));
    const stays = await rig.launched({ ...rig.through(proxy.upstream), timezone: exitZone });
    assert.equal(await valueIn(stays, zone), exitZone);
    assert.equal(stays.launched.exit?.exit?.ip, exitIp);
    assert.equal(spawns(stays), 1);
    const moves = await rig.launched({ ...rig.through(proxy.upstream), timezone: "Europe/Paris" });
    assert.equal(await valueIn(moves, zone), exitZone);
    assert.equal(moves.launched.exit?.exit?.timezone, exitZone);
    const last = moves.notices.at(-1);
    assert.equal(last?.notice === "browser-spawned" && last.pid, moves.launched.pid);
    const diagnostic = await rig.launched(
      { ...rig.through(proxy.upstream), timezone: "Europe/Paris" },
      { diagnostic: true },
    );
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    assert.equal(await valueIn(diagnostic, zone), timeZone);
    assert.equal(spawns(diagnostic), 1);
    const before = proxy.asked.length;
    await diagnostic.page.navigate({ url: "http://plain.test/" });
    assert.deepEqual([...new Set(proxy.asked.slice(before))], ["plain.test:80"]);
  });
});
