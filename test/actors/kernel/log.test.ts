/** The log: its levels by area, the trail of its lines, and what it leaves out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { createLog } from "../../../actors/kernel/log.ts";
import { logAreas, readLevels } from "../../../actors/kernel/log-levels.ts";
import { createRemote } from "../../../actors/kernel/remote.ts";
import { serveApi } from "../../../actors/kernel/rpc.ts";
import { alongTrail, currentTrail } from "../../../actors/kernel/trail.ts";
import type { PortLike } from "../../../actors/kernel/wire.ts";

function lineOf(work: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
  const lines: string[] = [];
  work(createLog("test", (line) => lines.push(line)));
  return JSON.parse(lines.join(""));
}

test("a level is for all areas, or for the named ones while the others keep info", () => {
  for (const area of logAreas) {
    assert.equal(readLevels("")(area), "info");
    assert.equal(readLevels("debug")(area), "debug");
  }
  const some = readLevels("debug:pool, cdp");
  assert.deepEqual([some("pool"), some("cdp"), some("library")], ["debug", "debug", "info"]);
});

test("an unknown word is refused with the variable and the allowed words", () => {
  for (const text of ["loud", "debug:pols", "debug:", "debug:pool:cdp", ":pool", "DEBUG", "constructor"]) {
    assert.throws(
      () => readLevels(text),
      /^Fault: TROUPE_LOG must be debug, info, warn, error, or .* \(areas: gateway, library, pool, .*\), got "/,
    );
  }
});

test("a line names its request and run, and work beside it does not get them", async () => {
  const line = await alongTrail({ request: "a-1" }, async () => {
    await null;
    return alongTrail({ run: "r" }, () => lineOf((log) => log.warn("here")));
  });
  assert.deepEqual([line.request, line.run], ["a-1", "r"]);
  assert.equal(currentTrail(), undefined);
});

test("a call that fails behind a port is logged there with the caller's request", async () => {
  const { port1, port2 } = new MessageChannel();
  const lines: string[] = [];
  const breaks = async () => Promise.reject(new Error("broken"));
  const checks = { breaks: (input: unknown) => input as Record<string, never> };
  serveApi(port1 as PortLike, { breaks }, checks, { log: createLog("test", (line) => lines.push(line)) });
  const remote = createRemote<{ breaks(input: Record<string, never>): Promise<never> }>("test");
  remote.attach(port2 as PortLike);
  await assert.rejects(alongTrail({ request: "a-3" }, () => remote.api.breaks({})));
  await assert.rejects(remote.api.breaks({}));
  port1.close();
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).request),
    ["a-3", undefined],
  );
});

test("tokens, passwords, credentials in URLs and cookies are left out, whoever passes them", () => {
  const secret = "s3cr3t-W0rd_of-the.user";
  const said = lineOf((log) =>
    log.error(`no answer from http://me:${secret}@proxy.test:80/`, {
      error: new Error(`Authorization: Bearer ${secret}`),
      headers: { "Set-Cookie": `sid=${secret}`, cookie: [secret], authorization: secret },
      url: `socks5://u:${secret}@h@proxy.test`,
      token: `troupe_${"x".repeat(43)}`,
      text: `the token troupe_${"x".repeat(43)} and Cookie: sid=${secret}`,
      password: secret,
      kept: 'a\\"b',
    }),
  );
  const text = JSON.stringify(said);
  assert.ok(!text.includes(secret) && !text.includes("xxxx"), text);
  assert.equal(said.message, "no answer from http://[redacted]@proxy.test:80/");
  assert.equal(said.kept, 'a\\"b');
});
