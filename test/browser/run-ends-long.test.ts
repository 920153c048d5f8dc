/** Runs over real HTTP with real browsers: variables, browsers left running, priorities, and the effects of a stop and a kill. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { steppedBackNice } from "../../actors/kernel/process-priority.ts";
import { createProfiles } from "../gateway/running.ts";
import { processesNaming, until } from "../gateway/serve.ts";
import { echo, errorOf, forever, type Run, servedRuns } from "./fixture/served-runs.ts";

const { on, start, save, approve, readRun, ended, firstRunning } = servedRuns();

/** Nice values of a browser's processes, which must be in the service's session, because Linux shares the cores among sessions first. */
function nicesOf(dir: string): number[] {
  const nices = processesNaming(dir).map((pid) => {
    const [group, ours] = [pid, on.served.pid].map((of) => `/proc/${of}/autogroup`).filter(existsSync);
    if (group && ours) assert.equal(readFileSync(group, "utf8"), readFileSync(ours, "utf8"));
    return getPriority(pid);
  });
  return [...new Set(nices)];
}
test("an approved script gets stored variables, which the request's override; a new source removes the approval", async () => {
  const script = await save(echo);
  await approve(script);
  const [id] = await createProfiles(on.client, 1);
  await on.client.post(`/v1/profiles/${id}/variables`, { variables: { a: "stored", b: "stored" } });
  const body = { script_id: script, profile_ids: [id], variables: { b: "given" } };
  const { profiles } = await ended(await on.client.post("/v1/scripts/batch", body));
  const result = { variables: { a: "stored", b: "given" }, name: "Profile 1", title: 2 };
  assert.deepEqual(profiles[0]?.result, result);
  await save(`${echo}\n// changed`, script);
  const again = await on.client.post("/v1/scripts/batch", body);
  assert.equal(again.status, 400);
});

test("a run launches and stops profiles that are not running, and leaves running ones open", async () => {
  const script = await save(echo);
  const [open, closed] = await createProfiles(on.client, 2);
  const { pid } = (await on.client.post(`/v1/profiles/${open}/launch`)).body as { pid: number };
  const body = { script_id: script, profile_ids: [open, closed] };
  const { run } = await ended(await on.client.post("/v1/scripts/run", body));
  assert.deepEqual([run.status, run.profilesDone], ["completed", 2]);
  const live = (await on.client.get("/v1/profiles")).body as { id: string; status: string }[];
  assert.equal(live.find(({ id }) => id === open)?.status, "running");
  assert.equal(live.find(({ id }) => id === closed)?.status, "stopped");
  assert.ok(processesNaming(on.data).includes(pid));
  await on.client.post(`/v1/profiles/${open}/stop`);
});

test("stopping a profile fails its part of the run, and the run continues", async () => {
  const script = await save(forever);
  const [id] = await createProfiles(on.client, 1);
  const runId = await firstRunning("run", { script_id: script, profile_ids: [id] });
  await on.client.post(`/v1/profiles/${id}/stop`);
  await until("the run has ended", async () => (await readRun(runId)).run.status !== "running");
  const { run, profiles } = await readRun(runId);
  assert.deepEqual([run.status, profiles[0]?.status], ["failed", "failed"]);
  assert.match(profiles[0]?.error ?? "", /stop/);
});

test("a browser opened by a run has a lower priority than the service; one opened by a call does not", async () => {
  const script = await save(forever);
  const [called, ...rest] = await createProfiles(on.client, 2);
  await on.client.post(`/v1/profiles/${called}/launch`, { headless: true });
  const runId = await firstRunning("run", { script_id: script, profile_ids: rest, headless: true });
  assert.deepEqual(nicesOf(`${on.data}/profiles/${rest[0]}/`), [steppedBackNice()]);
  assert.deepEqual(nicesOf(`${on.data}/profiles/${called}/`), [0]);
  assert.deepEqual(nicesOf(`${on.data}/tmp/script-`), [steppedBackNice()], "the script's process too");
  await on.client.post(`/v1/runs/${runId}/cancel`, {});
  await until("the run has ended", async () => (await readRun(runId)).run.status !== "running");
  await on.client.post(`/v1/profiles/${called}/stop`, {});
});

test("an Idempotency-Key starts one run; it answers 409 with another request, and 400 when it is invalid", async () => {
  const script = await save(echo);
  await approve(script);
  const [id] = await createProfiles(on.client, 1);
  const body = { script_id: script, profile_ids: [id] };
  const post = (key: string, given: object) =>
    on.client.post("/v1/scripts/batch", given, { headers: { "idempotency-key": key } });
  const first = (await post("one", body)).body as Run;
  const { run } = await ended({ status: 200, body: first });
  assert.deepEqual((await post("one", body)).body, run);
  const other = await post("one", { ...body, concurrency: 1 });
  assert.deepEqual([other.status, /another request/.test(errorOf(other.body))], [409, true]);
  const bad = await post("a b", body);
  assert.deepEqual(
    [bad.status, /^invalid request: Idempotency-Key must/.test(errorOf(bad.body))],
    [400, true],
  );
});

test("a normal stop ends runs: running parts fail, waiting ones are skipped, and the result is stored", async () => {
  const script = await save(forever);
  await approve(script);
  const ids = await createProfiles(on.client, 3);
  const runId = await firstRunning("batch", { script_id: script, profile_ids: ids, concurrency: 1 });
  await on.client.close();
  assert.equal((await on.served.end("SIGINT")).code, 0);
  assert.deepEqual(processesNaming(on.data), []);
  await start();
  const { run, profiles } = await readRun(runId);
  assert.equal(run.status, "failed");
  assert.match(run.error ?? "", /service was stopped/);
  assert.deepEqual(
    profiles.map(({ status }) => status),
    ["failed", "skipped", "skipped"],
  );
});

test("after kill -9, running parts fail as interrupted, and the run continues with the others", async () => {
  const source = `export default async function run({ profile, sleep }) { if (profile.name.endsWith("1")) await sleep(600_000); }`;
  const script = await save(source);
  await approve(script);
  const ids = await createProfiles(on.client, 3);
  const runId = await firstRunning("batch", { script_id: script, profile_ids: ids, concurrency: 1 });
  await on.client.close();
  await on.served.end("SIGKILL");
  await until("every process has ended", () => processesNaming(on.data).length === 0);
  await start();
  await until("the run has ended", async () => (await readRun(runId)).run.status !== "running");
  const { run, profiles } = await readRun(runId);
  assert.deepEqual([run.status, run.profilesDone, run.profilesFailed], ["partial", 2, 1]);
  assert.deepEqual(
    profiles.map(({ status }) => status),
    ["failed", "completed", "completed"],
  );
  assert.match(profiles[0]?.error ?? "", /interrupted/);
});
