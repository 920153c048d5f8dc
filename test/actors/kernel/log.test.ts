/** The log: its levels by area, the trail of its lines, and what it leaves out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../../actors/kernel/log.ts";
import { logAreas, readLevels } from "../../../actors/kernel/log-levels.ts";
import { alongTrail, currentTrail, onTrail } from "../../../actors/kernel/trail.ts";

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
  const line = await onTrail({ request: "a-1" }, async () => {
    await null;
    return alongTrail({ run: "r" }, () => lineOf((log) => log.warn("here")));
  });
  assert.deepEqual([line.request, line.run], ["a-1", "r"]);
  assert.equal(currentTrail(), undefined);
  await onTrail({ request: "a-2" }, async () =>
    onTrail(undefined, async () => assert.equal(currentTrail(), undefined)),
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
