/** The measurement of a proxy's exit through real proxies: results, and errors of proxies that do not work. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { measureExit } from "../../../actors/proxy-exit/measure.ts";
import type { ExitSources, ProxyUpstream } from "../../../protocol/proxies.ts";
import { bundled } from "../../bundled.ts";
import { type EchoService, startEcho } from "./echo.ts";
import { geoFile } from "./geo-file.ts";
import {
  deadUpstream,
  freePort,
  microsocksPath,
  password,
  portOf,
  startMicrosocks,
  startNotingHttp,
  startNotingSocks,
  startSilent,
  startStranger,
  startTinyproxy,
  type TestProxy,
  tinyproxyPath,
  withProgram,
  wrongPassword,
} from "./servers.ts";

const berlin = { ip: "203.0.113.7", country: "DE", city: "Berlin", timezone: "Europe/Berlin" };

let echo: EchoService;
let dir = "";
const opened: { close(): Promise<void> }[] = [];
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  echo = await opens(startEcho(berlin));
});
after(async () => {
  for (const one of opened) await one.close();
  await rm(dir, { recursive: true, force: true });
});

async function opens<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const one = await starting;
  opened.push(one);
  return one;
}

const sources = (given: Partial<ExitSources> = {}): ExitSources => ({
  echoUrls: [echo.url],
  geoFile: null,
  timeoutMs: 20_000,
  ...given,
});

async function exitOf(upstream: ProxyUpstream, given?: Partial<ExitSources>) {
  const { exit, error } = await measureExit(upstream, sources(given));
  assert.equal(error, null);
  assert.ok(exit !== null);
  const { latencyMs, measuredAt, ...place } = exit;
  assert.ok(latencyMs >= 0 && latencyMs < 20_000 && Number.isInteger(latencyMs));
  assert.ok(Math.abs(Date.parse(measuredAt) - Date.now()) < 60_000);
  return place;
}

async function errorOf(upstream: ProxyUpstream, given?: Partial<ExitSources>): Promise<string> {
  const { exit, error } = await measureExit(upstream, sources(given));
  assert.equal(exit, null);
  assert.ok(!error?.includes(password) && !error?.includes("not-this-one"), error ?? "");
  return (error ?? "").replace(/127\.0\.0\.1:\d+/, "HOST").replace(/\d+ ms/, "N ms");
}

describe("an exit is measured", () => {
  withProgram(tinyproxyPath, test)("through tinyproxy", async () => {
    const proxy = await opens(startTinyproxy({ user: "maria", password: "Secret7" }));
    assert.deepEqual(await exitOf(proxy.upstream), berlin);
    assert.equal(await errorOf(wrongPassword(proxy)), "the proxy HOST refused the user name or password");
    assert.equal(
      await errorOf({ ...proxy.upstream, username: null, password: null }),
      "the proxy HOST asks for a user name and password, and none is set",
    );
  });

  withProgram(microsocksPath, test)("through microsocks", async () => {
    const proxy = await opens(startMicrosocks());
    assert.deepEqual(await exitOf(proxy.upstream), berlin);
    assert.equal(await errorOf(wrongPassword(proxy)), "the proxy HOST refused the user name or password");
    assert.equal(
      await errorOf({ ...proxy.upstream, username: null, password: null }),
      "the proxy HOST asks for a user name and password, and none is set",
    );
    const nobody = `http://127.0.0.1:${await freePort()}/`;
    assert.equal(
      await errorOf(proxy.upstream, { echoUrls: [nobody] }),
      "the proxy HOST did not reach 127.0.0.1: the connection was refused",
    );
  });

  for (const start of [startNotingHttp, startNotingSocks]) {
    test(`by a name that only the proxy knows (${start.name})`, async () => {
      const proxy = await opens(start(echo.port));
      assert.deepEqual(await exitOf(proxy.upstream, { echoUrls: ["http://echo.test:8080/me"] }), berlin);
      assert.deepEqual(proxy.asked, ["echo.test:8080"]);
      assert.equal(await errorOf(wrongPassword(proxy)), "the proxy HOST refused the user name or password");
    });
  }

  test("through a tunnel when the echo service uses https, with a check of its certificate", async () => {
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    const subject = ["-subj", "/CN=echo.test", "-addext", "subjectAltName=DNS:echo.test"];
    const run = promisify(execFile);
    await run("openssl", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      ...subject,
      "-keyout",
      key,
      "-out",
      cert,
    ]);
    const { readFile } = await import("node:fs/promises");
    const server = createTlsServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (_request, response) => response.end(JSON.stringify(berlin)),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    opened.push({
      close: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
    });
    const proxies = [
      await opens(startNotingHttp(portOf(server))),
      await opens(startNotingSocks(portOf(server))),
    ];
    const given = sources({ echoUrls: ["https://echo.test/"] });
    for (const { upstream } of proxies) {
      const { error } = await measureExit(upstream, given);
      assert.match(
        error ?? "",
        /^the echo service echo.test did not answer through the proxy .*: DEPTH_ZERO_SELF_SIGNED_CERT$/,
      );
    }
    // A new process, because certificates are loaded at its start.
    const module = await bundled(new URL("../../../actors/proxy-exit/measure.ts", import.meta.url));
    const script = `
      import { measureExit } from ${JSON.stringify(module)};
      const found = await Promise.all(${JSON.stringify(proxies.map(({ upstream }) => upstream))}.map((upstream) => measureExit(upstream, ${JSON.stringify(given)})));
      console.log(JSON.stringify(found.map(({ exit, error }) => exit?.ip ?? error)));`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
    const args = ["--input-type=module", "-e", script];
    const { stdout } = await run(process.execPath, args, { env });
    assert.deepEqual(JSON.parse(stdout), [berlin.ip, berlin.ip]);
    assert.deepEqual(
      proxies.map(({ asked }) => asked),
      [
        ["echo.test:443", "echo.test:443"],
        ["echo.test:443", "echo.test:443"],
      ],
    );
  });

  test("by the first echo service that answers; the geo file adds what is missing", async () => {
    const proxy = await opens(startNotingHttp(0, false));
    const direct = await opens(startNotingHttp(echo.port, false));
    const broken = await opens(startEcho("", (_request, response) => void response.writeHead(500).end()));
    const brokenProxy = await opens(startNotingHttp(broken.port, false));
    assert.match(await errorOf(brokenProxy.upstream), /or the proxy for it, answered with status 500$/);
    assert.match(await errorOf(proxy.upstream), /^the proxy HOST closed the connection without an answer$/);
    const file = join(dir, "city.mmdb");
    const record = {
      country: { iso_code: "JP" },
      city: { names: { en: "Osaka" } },
      location: { time_zone: "Asia/Tokyo" },
    };
    await writeFile(
      file,
      geoFile({ "198.51.100.9": record, "203.0.113.7": { country: { iso_code: "FR" } } }),
    );
    const bare = await opens(startEcho("198.51.100.9\n"));
    const bareProxy = await opens(startNotingHttp(bare.port, false));
    const osaka = { ip: "198.51.100.9", country: "JP", city: "Osaka", timezone: "Asia/Tokyo" };
    assert.deepEqual(await exitOf(bareProxy.upstream, { geoFile: file }), osaka);
    assert.deepEqual(await exitOf(direct.upstream, { geoFile: file }), berlin); // The service's own values win.
    const nothing = { ip: "198.51.100.9", country: null, city: null, timezone: null };
    assert.deepEqual(await exitOf(bareProxy.upstream, { geoFile: join(dir, "absent.mmdb") }), nothing);
    bare.reply = "198.51.100.10";
    assert.deepEqual(await exitOf(bareProxy.upstream, { geoFile: file }), {
      ...nothing,
      ip: "198.51.100.10",
    });
    const list = ["no url", "http://a.test/wrong", "http://b.test/"];
    bare.reply = "<html>";
    assert.equal(
      await errorOf(bareProxy.upstream, { echoUrls: list }),
      "no url is not the address of an echo service; the answer of the echo service a.test contains no address; the answer of the echo service b.test contains no address",
    );
  });
});

describe("a proxy that does not work gives the reason", () => {
  for (const type of ["http", "socks5"] as const) {
    test(`${type}: refused connections, an unknown host, another protocol`, async () => {
      assert.equal(await errorOf(await deadUpstream(type)), "the proxy HOST is dead: it refuses connections");
      assert.equal(
        await errorOf({ ...(await deadUpstream(type)), host: "no-such-host.invalid", port: 1 }),
        "the proxy no-such-host.invalid:1 is dead: its host name was not found",
      );
      const stranger = await opens(startStranger(type));
      const words = type === "http" ? "an HTTP" : "a SOCKS5";
      assert.equal(await errorOf(stranger.upstream), `the proxy HOST does not answer as ${words} proxy does`);
    });

    test(`${type}: no answer, as distinct from a silent echo service and an aborted measurement`, async () => {
      const silent = await opens(startSilent(type));
      const list = [echo.url, echo.url];
      assert.equal(
        await errorOf(silent.upstream, { timeoutMs: 150, echoUrls: list }),
        "the proxy HOST is too slow: it accepted the connection and did not answer within N ms",
      );
      const mute = await opens(startEcho("", () => {}));
      const proxy: TestProxy = await opens(
        type === "http" ? startNotingHttp(mute.port) : startNotingSocks(mute.port),
      );
      assert.equal(
        await errorOf(proxy.upstream, { timeoutMs: 300, echoUrls: ["http://echo.test/"] }),
        "the echo service echo.test did not answer through the proxy HOST within N ms",
      );
      const given = sources({ echoUrls: list });
      const { error } = await measureExit(silent.upstream, given, AbortSignal.timeout(100));
      assert.match(error ?? "", /did not answer within \d+ ms/);
      const early = await measureExit(silent.upstream, given, AbortSignal.abort());
      assert.deepEqual(early, { exit: null, error: "the measurement was given up" });
    });
  }

  test("no echo service is set", async () =>
    assert.equal(await errorOf(await deadUpstream("http"), { echoUrls: [] }), "no echo service is set"));
});
