/** Runs over real HTTP with real browsers: approval, variables, browsers left running, and the effects of a stop and a kill. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { steppedBackNice } from "../../actors/kernel/process-priority.ts";
import { probeIsolation } from "../../actors/script/isolation.ts";
import { type Client, createClient } from "../gateway/client.ts";
import { createProfiles } from "../gateway/running.ts";
import { processesNaming, type Served, serve, troupe, until } from "../gateway/serve.ts";

interface Run {
  id: string;
  status: string;
  profilesDone: number;
  profilesFailed: number;
  completedAt: string | null;
  error: string | null;
}
interface Part {
  profileId: string;
  status: string;
  error: string | null;
  result: unknown;
  isolation: string | null;
}

let data: string;
let served: Served;
let client: Client;
let minted = 0;
const start = async () => {
  minted += 1;
  served = await serve(data, "--mint", `t${minted}`, "--rate-limit", "0");
  client = await createClient(served.apiUrl, served.token);
};
before(async () => {
  data = await mkdtemp(join(tmpdir(), "troupe-runs-"));
  await start();
});
after(async () => {
  await client.close();
  await served.end("SIGTERM");
  assert.deepEqual(processesNaming(data), []);
  await rm(data, { recursive: true, force: true });
});

const errorOf = (body: unknown) => (body as { error: string }).error;
async function save(source: string, scriptId?: string): Promise<string> {
  const reply = await client.post("/v1/scripts", {
    name: "s",
    source,
    ...(scriptId && { script_id: scriptId }),
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return (reply.body as { scriptId: string }).scriptId;
}
async function approve(scriptId: string): Promise<void> {
  const { code, stderr } = await troupe("script", "approve", scriptId, "--data", data);
  assert.equal(code, 0, stderr);
}
async function readRun(id: string): Promise<{ run: Run; profiles: Part[] }> {
  return (await client.get(`/v1/runs/${id}/profiles`)).body as { run: Run; profiles: Part[] };
}
async function ended(reply: { status: number; body: unknown }): Promise<{ run: Run; profiles: Part[] }> {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { id, status, completedAt } = reply.body as Run;
  assert.deepEqual([status, completedAt], ["running", null]);
  await until("the run has ended", async () => (await readRun(id)).run.status !== "running");
  return readRun(id);
}

async function firstRunning(how: "run" | "batch", body: object): Promise<string> {
  const reply = await client.post(`/v1/scripts/${how}`, body);
  const runId = (reply.body as Run).id;
  const isRunning = async () => (await readRun(runId)).profiles[0]?.status === "running";
  await until("the script runs", isRunning);
  return runId;
}

const echo = `export default async function run({ variables, profile, page }) {
  return { variables, name: profile.name, title: await page.evaluate("1 + 1") };
}`;
/** Nice values of a browser's processes, which must be in the service's session, because Linux shares the cores among sessions first. */
function nicesOf(dir: string): number[] {
  const nices = processesNaming(dir).map((pid) => {
    const [group, ours] = [pid, served.pid].map((of) => `/proc/${of}/autogroup`).filter(existsSync);
    if (group && ours) assert.equal(readFileSync(group, "utf8"), readFileSync(ours, "utf8"));
    return getPriority(pid);
  });
  return [...new Set(nices)];
}
const forever = `export default async function run({ sleep }) { await sleep(600_000); }`;

test("a source that violates the contract answers 400, with one line per violation", async () => {
  const source = `import fs from "node:fs";\nexport default async function run() {\n  eval("1");\n  process.exit();\n}\n`;
  const reply = await client.post("/v1/scripts", { name: "bad", source });
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
  const ids = await createProfiles(client, 4);
  const four = await client.post("/v1/scripts/run", { script_id: script, profile_ids: ids });
  assert.equal(four.status, 400);
  assert.match(errorOf(four.body), /at most 3 profiles/);
  const batch = await client.post("/v1/scripts/batch", { script_id: script, profile_ids: ids.slice(0, 1) });
  assert.equal(batch.status, 400);
  assert.match(errorOf(batch.body), /approved/);
  await client.post(`/v1/profiles/${ids[0]}/variables`, { variables: { stored: "yes" } });
  const body = { script_id: script, profile_ids: ids.slice(0, 1), variables: { given: "1" }, headless: true };
  const { run, profiles } = await ended(await client.post("/v1/scripts/run", body));
  assert.deepEqual([run.status, run.profilesDone, run.error], ["completed", 1, null]);
  assert.deepEqual(profiles[0]?.result, { variables: { given: "1" }, name: "Profile 1", title: 2 });
  assert.equal(profiles[0]?.isolation, (await probeIsolation()).level);
});

test("an approved script gets stored variables, which the request's override; a new source removes the approval", async () => {
  const script = await save(echo);
  await approve(script);
  const [id] = await createProfiles(client, 1);
  await client.post(`/v1/profiles/${id}/variables`, { variables: { a: "stored", b: "stored" } });
  const body = { script_id: script, profile_ids: [id], variables: { b: "given" } };
  const { profiles } = await ended(await client.post("/v1/scripts/batch", body));
  const result = { variables: { a: "stored", b: "given" }, name: "Profile 1", title: 2 };
  assert.deepEqual(profiles[0]?.result, result);
  await save(`${echo}\n// changed`, script);
  const again = await client.post("/v1/scripts/batch", body);
  assert.equal(again.status, 400);
});

test("a run launches and stops profiles that are not running, and leaves running ones open", async () => {
  const script = await save(echo);
  const [open, closed] = await createProfiles(client, 2);
  const { pid } = (await client.post(`/v1/profiles/${open}/launch`)).body as { pid: number };
  const body = { script_id: script, profile_ids: [open, closed] };
  const { run } = await ended(await client.post("/v1/scripts/run", body));
  assert.deepEqual([run.status, run.profilesDone], ["completed", 2]);
  const live = (await client.get("/v1/profiles")).body as { id: string; status: string }[];
  assert.equal(live.find(({ id }) => id === open)?.status, "running");
  assert.equal(live.find(({ id }) => id === closed)?.status, "stopped");
  assert.ok(processesNaming(data).includes(pid));
  await client.post(`/v1/profiles/${open}/stop`);
});

test("a script that throws fails its profile with its own line; the run is partial when others succeed", async () => {
  const script = await save(
    `export default async function run({ profile }) {\n  if (profile.name.endsWith("1")) throw new Error("no luck");\n}`,
  );
  const ids = await createProfiles(client, 2);
  const { run, profiles } = await ended(
    await client.post("/v1/scripts/run", { script_id: script, profile_ids: ids }),
  );
  assert.deepEqual([run.status, run.profilesDone, run.profilesFailed], ["partial", 1, 1]);
  assert.match(profiles[0]?.error ?? "", /no luck[\s\S]*script\.ts:2:/);
});

test("an unknown script answers 404, an unknown profile 409, a bad variable 400", async () => {
  const script = await save(echo);
  const [id] = await createProfiles(client, 1);
  const run = (body: object) => client.post("/v1/scripts/run", body);
  assert.equal((await run({ script_id: randomUUID(), profile_ids: [id] })).status, 404);
  assert.equal((await run({ script_id: script, profile_ids: [randomUUID()] })).status, 409);
  assert.equal((await run({ script_id: script, profile_ids: [id], variables: { "a b": "c" } })).status, 400);
  assert.equal((await run({ script_id: script, profile_ids: [] })).status, 400);
  const wide = { script_id: script, profile_ids: [id], concurrency: 100_000 };
  assert.match(
    errorOf((await client.post("/v1/scripts/batch", wide)).body),
    /concurrency must be an integer from 1/,
  );
  assert.equal((await client.get(`/v1/runs/${randomUUID()}`)).status, 404);
});

test("runs are listed newest first, up to the limit", async () => {
  const all = (await client.get("/v1/runs?limit=100")).body as { startedAt: string }[];
  const times = all.map(({ startedAt }) => startedAt);
  assert.deepEqual(times, [...times].sort().reverse());
  assert.equal(((await client.get("/v1/runs?limit=2")).body as unknown[]).length, 2);
  assert.equal((await client.get("/v1/runs?limit=101")).status, 400);
});

test("stopping a profile fails its part of the run, and the run continues", async () => {
  const script = await save(forever);
  const [id] = await createProfiles(client, 1);
  const runId = await firstRunning("run", { script_id: script, profile_ids: [id] });
  await client.post(`/v1/profiles/${id}/stop`);
  await until("the run has ended", async () => (await readRun(runId)).run.status !== "running");
  const { run, profiles } = await readRun(runId);
  assert.deepEqual([run.status, profiles[0]?.status], ["failed", "failed"]);
  assert.match(profiles[0]?.error ?? "", /stop/);
});

test("a browser opened by a run has a lower priority than the service; one opened by a call does not", async () => {
  const script = await save(forever);
  const [called, ...rest] = await createProfiles(client, 2);
  await client.post(`/v1/profiles/${called}/launch`, { headless: true });
  const runId = await firstRunning("run", { script_id: script, profile_ids: rest, headless: true });
  assert.deepEqual(nicesOf(`${data}/profiles/${rest[0]}/`), [steppedBackNice()]);
  assert.deepEqual(nicesOf(`${data}/profiles/${called}/`), [0]);
  assert.deepEqual(nicesOf(`${data}/tmp/script-`), [steppedBackNice()], "the script's process too");
  await client.post(`/v1/runs/${runId}/cancel`, {});
  await until("the run has ended", async () => (await readRun(runId)).run.status !== "running");
  await client.post(`/v1/profiles/${called}/stop`, {});
});

test("a cancelled run ends running parts, skips waiting ones, and leaves no browser", async () => {
  const script = await save(forever);
  await approve(script);
  const ids = await createProfiles(client, 3);
  const body = { script_id: script, profile_ids: ids, concurrency: 1, stagger_ms: 1 };
  const runId = await firstRunning("batch", body);
  const reply = await client.post(`/v1/runs/${runId}/cancel`);
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
  const { active } = (await client.get("/v1/capacity")).body as { active: number };
  assert.equal(active, 0);
  const again = await client.post(`/v1/runs/${runId}/cancel`);
  assert.deepEqual([again.status, again.body], [200, run]);
  assert.equal((await client.post(`/v1/runs/${randomUUID()}/cancel`)).status, 404);
});

test("an Idempotency-Key starts one run; it answers 409 with another request, and 400 when it is invalid", async () => {
  const script = await save(echo);
  await approve(script);
  const [id] = await createProfiles(client, 1);
  const body = { script_id: script, profile_ids: [id] };
  const post = (key: string, given: object) =>
    client.post("/v1/scripts/batch", given, { headers: { "idempotency-key": key } });
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
  const ids = await createProfiles(client, 3);
  const runId = await firstRunning("batch", { script_id: script, profile_ids: ids, concurrency: 1 });
  await client.close();
  assert.equal((await served.end("SIGINT")).code, 0);
  assert.deepEqual(processesNaming(data), []);
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
  const ids = await createProfiles(client, 3);
  const runId = await firstRunning("batch", { script_id: script, profile_ids: ids, concurrency: 1 });
  await client.close();
  await served.end("SIGKILL");
  await until("every process has ended", () => processesNaming(data).length === 0);
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
