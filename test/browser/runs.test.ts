/** Runs over real HTTP with real browsers: approval, failures, refusals and a cancel. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { probeIsolation } from "../../actors/script/isolation.ts";
import { createProfiles } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";
import { echo, errorOf, forever, type Run, servedRuns } from "./fixture/served-runs.ts";

const { on, save, approve, readRun, ended, firstRunning } = servedRuns();

test("a source that violates the contract answers 400, with one line per violation", async () => {
  const source = `import fs from "node:fs";\nexport default async function run() {\n  eval("1");\n  process.exit();\n}\n`;
  const reply = await on.client.post("/v1/scripts", { name: "bad", source });
  assert.equal(reply.status, 400);
  const [first = "", ...lines] = errorOf(reply.body).split("\n");
  assert.match(first, /^invalid request: /);
  assert.deepEqual(
    lines.map((line) => /^line \d+ \[[a-z-]+\] (?=.{20})/.exec(line)?.[0]),
    ["line 1 [import-allowed] ", "line 3 [no-eval] ", "line 4 [no-process] "],
  );
});

test("an unapproved script runs on 3 profiles at most, in no batch, and without stored variables", async () => {
  const script = await save(echo);
  const ids = await createProfiles(on.client, 4);
  const four = await on.client.post("/v1/scripts/run", { script_id: script, profile_ids: ids });
  assert.equal(four.status, 400);
  assert.match(errorOf(four.body), /at most 3 profiles/);
  const batch = await on.client.post("/v1/scripts/batch", {
    script_id: script,
    profile_ids: ids.slice(0, 1),
  });
  assert.equal(batch.status, 400);
  assert.match(errorOf(batch.body), /approved/);
  await on.client.post(`/v1/profiles/${ids[0]}/variables`, { variables: { stored: "yes" } });
  const body = { script_id: script, profile_ids: ids.slice(0, 1), variables: { given: "1" }, headless: true };
  const { run, profiles } = await ended(await on.client.post("/v1/scripts/run", body));
  assert.deepEqual([run.status, run.profilesDone, run.error], ["completed", 1, null]);
  assert.deepEqual(profiles[0]?.result, { variables: { given: "1" }, name: "Profile 1", title: 2 });
  assert.equal(profiles[0]?.isolation, (await probeIsolation()).level);
});

test("a script that throws fails its profile with its own line; the run is partial when others succeed", async () => {
  const script = await save(
    `export default async function run({ profile }) {\n  if (profile.name.endsWith("1")) throw new Error("no luck");\n}`,
  );
  const ids = await createProfiles(on.client, 2);
  const { run, profiles } = await ended(
    await on.client.post("/v1/scripts/run", { script_id: script, profile_ids: ids }),
  );
  assert.deepEqual([run.status, run.profilesDone, run.profilesFailed], ["partial", 1, 1]);
  assert.match(profiles[0]?.error ?? "", /no luck[\s\S]*script\.ts:2:/);
});

test("an unknown script answers 404, an unknown profile 409, a bad variable 400", async () => {
  const script = await save(echo);
  const [id] = await createProfiles(on.client, 1);
  const run = (body: object) => on.client.post("/v1/scripts/run", body);
  assert.equal((await run({ script_id: randomUUID(), profile_ids: [id] })).status, 404);
  assert.equal((await run({ script_id: script, profile_ids: [randomUUID()] })).status, 409);
  assert.equal((await run({ script_id: script, profile_ids: [id], variables: { "a b": "c" } })).status, 400);
  assert.equal((await run({ script_id: script, profile_ids: [] })).status, 400);
  const wide = { script_id: script, profile_ids: [id], concurrency: 100_000 };
  assert.match(
    errorOf((await on.client.post("/v1/scripts/batch", wide)).body),
    /concurrency must be an integer from 1/,
  );
  assert.equal((await on.client.get(`/v1/runs/${randomUUID()}`)).status, 404);
});

test("runs are listed newest first, up to the limit", async () => {
  const all = (await on.client.get("/v1/runs?limit=100")).body as { startedAt: string }[];
  const times = all.map(({ startedAt }) => startedAt);
  assert.deepEqual(times, [...times].sort().reverse());
  assert.equal(((await on.client.get("/v1/runs?limit=2")).body as unknown[]).length, 2);
  assert.equal((await on.client.get("/v1/runs?limit=101")).status, 400);
});

test("a cancelled run ends running parts, skips waiting ones, and leaves no browser", async () => {
  const script = await save(forever);
  await approve(script);
  const ids = await createProfiles(on.client, 3);
  const body = { script_id: script, profile_ids: ids, concurrency: 1, stagger_ms: 1 };
  const runId = await firstRunning("batch", body);
  const reply = await on.client.post(`/v1/runs/${runId}/cancel`);
  assert.deepEqual([reply.status, (reply.body as Run).error], [200, "the run was cancelled"]);
  await until("the run has ended", async () => (await readRun(runId)).run.status !== "running");
  const { run, profiles } = await readRun(runId);
  assert.deepEqual(
    [run.status, run.error, ...profiles.map(({ status, error }) => `${status}: ${error}`)],
    [
      "failed",
      "the run was cancelled",
      "failed: the run was cancelled",
      "skipped: the run was cancelled",
      "skipped: the run was cancelled",
    ],
  );
  const { active } = (await on.client.get("/v1/capacity")).body as { active: number };
  assert.equal(active, 0);
  const again = await on.client.post(`/v1/runs/${runId}/cancel`);
  assert.deepEqual([again.status, again.body], [200, run]);
  assert.equal((await on.client.post(`/v1/runs/${randomUUID()}/cancel`)).status, 404);
});
