/** The gate's decisions without a listener: Host, budget, texts of 400 replies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../actors/kernel/clock.ts";
import { createBudget } from "../../gateway/gate/rate-limit.ts";
import { checked } from "../../gateway/gate/shapes.ts";
import { isLoopbackHost } from "../../protocol/loopback-host.ts";
import type { RequestShapes } from "../../protocol/requests.ts";

test("only loopback hosts pass, without a port or with the service's", () => {
  for (const host of ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "LocalHost:80", "[::1]:80"]) {
    assert.equal(isLoopbackHost(host, 80), true, host);
  }
  for (const host of [
    undefined,
    "",
    "example.com",
    "127.0.0.1:81",
    "127.0.0.1.evil.example",
    "localhost:",
    "[::1]:8",
    "::1",
    "127.0.0.2",
    "localhost.:80",
  ]) {
    assert.equal(isLoopbackHost(host, 80), false, String(host));
  }
});

test("the budget is a sliding window: a call is allowed after the oldest leaves it", async () => {
  const clock = new ManualClock(0);
  const budget = createBudget(clock);
  assert.equal(budget.count("t", 2)?.allowed, true);
  await clock.advance(10_000);
  assert.deepEqual(budget.count("t", 2), { allowed: true, limit: 2, remaining: 0, resetSecs: 50 });
  assert.deepEqual(budget.count("t", 2), { allowed: false, limit: 2, remaining: 0, resetSecs: 50 });
  assert.equal(budget.count("other", 2)?.allowed, true);
  await clock.advance(50_000);
  assert.equal(budget.count("t", 2)?.allowed, true);
  assert.equal(budget.count("t", 2)?.allowed, false);
  assert.equal(budget.count("t", 0), null);
});

test("a refused call is not counted, so that waiting for Retry-After is enough", async () => {
  const clock = new ManualClock(0);
  const budget = createBudget(clock);
  budget.count("t", 1);
  for (let tries = 0; tries < 5; tries += 1) {
    await clock.advance(5_000);
    assert.equal(budget.count("t", 1)?.allowed, false);
  }
  await clock.advance(35_000);
  assert.equal(budget.count("t", 1)?.allowed, true);
});

const texts: [keyof RequestShapes, object, RegExp][] = [
  ["CreateProfilesBody", { count: 51 }, /^count must be an integer from 1 to 50, got 51$/],
  ["CreateProfilesBody", { count: "5" }, /^count must be an integer from 1 to 50, got "5"$/],
  [
    "HoverBody",
    { node_id: 1, position: { x: -1, y: 0 } },
    /^position\.x must be a number of at least 0, got -1$/,
  ],
  ["CreateProfilesBody", {}, /^count is required and must be an integer from 1 to 50$/],
  ["CreateProfilesBody", { count: 1, os: "beos" }, /^os must be one of .*linux.*, got "beos"$/],
  [
    "CreateProfilesBody",
    { count: 1, tags: [] },
    /^tags must be an array with at least 1 item.*, got an empty array$/,
  ],
  [
    "CreateProfilesBody",
    { count: 1, colour: "red" },
    /^unknown key colour; known keys are count, name_template/,
  ],
  ["CreateProfilesBody", { count: 1, proxy_pool_id: "x" }, /^proxy_pool_id must be a uuid, got "x"$/],
  ["RunScriptBody", { script_id: "x", profile_ids: [] }, /^script_id must be a uuid, got "x"$/],
  ["ScrollBody", { amount: 0, direction: "up" }, /^amount must be an integer from 1 to 100000, got 0$/],
  ["ScrollBody", { amount: 1.5, direction: "up" }, /^amount must be an integer from 1 to 100000, got 1.5$/],
  ["LaunchBody", { headless: "yes" }, /^headless must be true or false, got "yes"$/],
  [
    "CreateDatasetBody",
    { name: "d", mode: "fixed", columns: [{ nmae: "a" }] },
    /^unknown key columns\[0\]\.nmae; known keys are name, secret$/,
  ],
  [
    "PatchProfileBody",
    { tags: [""] },
    /^tags\[0\] must be a non-empty string of at most 64 characters, got ""$/,
  ],
  ["PatchProfileBody", { tags: 5 }, /^tags must be an array.*, or null, got 5$/],
  [
    "PatchProfileBody",
    { folder: "" },
    /^folder must be a non-empty string of at most 100 .*, or null, got ""$/,
  ],
  ["PatchProfileBody", { proxy: { pool_id: "x" } }, /^proxy\.pool_id must be a uuid; the value is not shown/],
  ["PatchProfileBody", { proxy: { pool: "x" } }, /^unknown key proxy\.pool; known keys are pool_id, slot$/],
  ["SaveScriptBody", { name: "", source: "x" }, /^name must be a non-empty string.*, got ""$/],
];
for (const [shape, value, text] of texts) {
  test(`${shape} ${JSON.stringify(value)} is explained: ${text.source}`, () => {
    assert.throws(
      () => checked(shape, value, "body"),
      (error: Error) => text.test(error.message),
    );
  });
}
