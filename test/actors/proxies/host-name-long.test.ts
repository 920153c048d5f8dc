/** Unknown host names of proxies do not delay the measurement of others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { measureExits } from "../../../actors/tasks/measure-exits.ts";
import { startEcho } from "./echo.ts";
import { startNotingHttp } from "./servers.ts";

test("with a third of 200 host names unknown, every other proxy is alive", async () => {
  const echo = await startEcho({ ip: "203.0.113.1" });
  const proxy = await startNotingHttp(echo.port, false);
  const isDead = (slot: number) => slot % 3 === 2;
  const upstreams = Array.from({ length: 200 }, (_, slot) => ({
    ...proxy.upstream,
    host: isDead(slot) ? `dead-${slot}.example.invalid` : "localhost",
  }));
  const { measurements } = await measureExits({
    upstreams,
    sources: { echoUrls: ["http://echo.invalid/"], geoFile: null, timeoutMs: 5_000 },
    deadlineMs: 6_000,
    concurrency: 200,
  });
  await Promise.all([proxy.close(), echo.close()]);
  for (const [slot, { exit, error }] of measurements.entries()) {
    assert.equal(exit === null, isDead(slot), `slot ${slot}: ${error}`);
    if (isDead(slot)) assert.match(error ?? "", /host name was not found|accepted no connection/);
  }
});
