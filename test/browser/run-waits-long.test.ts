/** Runs whose coordinator dies, and runs that wait for a slot: every profile runs or gets a reason. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import type { Worker } from "node:worker_threads";
import type { Run, RunProfile } from "../../protocol/records.ts";
import { createProfiles, startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";

/** The service's newest threads by name, recorded when they start. */
const threads = new Map<string, Worker>();
const module: typeof import("node:worker_threads") = createRequire(import.meta.url)("node:worker_threads");
const { Worker: Original } = module;
class Seen extends Original {
  constructor(...given: ConstructorParameters<typeof Original>) {
    super(...given);
    threads.set(given[1]?.name ?? "", this);
  }
}
before(() => {
  module.Worker = Seen;
  syncBuiltinESMExports();
});
after(() => {
  module.Worker = Original;
  syncBuiltinESMExports();
});

let dataDir: string;
let running: TestService;
let minted = 0;
const start = async () => {
  minted += 1;
  running = await startTestService({ dataDir, browsersMax: 1, mint: `t${minted}` });
};
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  await start();
});
afterEach(async () => {
  const { client } = running;
  const { body } = await client.get("/v1/profiles");
  for (const { id } of body as { id: string }[]) await client.post(`/v1/profiles/${id}/stop`);
});
after(async () => {
  await running.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function approved(source: string): Promise<string> {
  const { body } = await running.client.post("/v1/scripts", { name: "s", source });
  const { scriptId } = body as { scriptId: string };
  await running.service.actors.library.approveScript({ scriptId, sha256: null });
  return scriptId;
}
const started = async (how: "run" | "batch", body: object, headers = {}) =>
  (await running.client.post(`/v1/scripts/${how}`, body, { headers })).body as Run;
const partsOf = async (runId: string, query = "") =>
  (await running.client.get(`/v1/runs/${runId}/profiles${query}`)).body as {
    run: Run;
    profiles: RunProfile[];
  };
const ended = (runId: string) =>
  until("the run has ended", async () => (await partsOf(runId)).run.status !== "running");
const capacity = async () =>
  (await running.client.get("/v1/capacity")).body as { active: number; queued: number };

const firstSleeps = `export default async function run({ profile, sleep }) {
  if (profile.name.endsWith("1")) await sleep(600_000);
  return profile.name;
}`;

test("after a restart of the coordinator, running parts fail as interrupted, the others run, and no slot is lost", async () => {
  const profile_ids = await createProfiles(running.client, 3);
  const { id } = await started("batch", {
    script_id: await approved(firstSleeps),
    profile_ids,
    concurrency: 1,
  });
  const isRunning = async () => (await partsOf(id)).profiles[0]?.status === "running";
  await until("the first script runs", isRunning);
  await threads.get("runs")?.terminate();
  await ended(id);
  const { run, profiles } = await partsOf(id);
  assert.deepEqual([run.status, run.profilesDone, run.profilesFailed], ["partial", 2, 1]);
  assert.deepEqual(
    profiles.map(({ status }) => status),
    ["failed", "completed", "completed"],
  );
  assert.match(profiles[0]?.error ?? "", /interrupted/);
  await until("no browser is left", async () => (await capacity()).active === 0);
  const page = async (query: string) => (await partsOf(id, query)).profiles.map(({ profileId }) => profileId);
  assert.deepEqual(await page("?limit=2"), profile_ids.slice(0, 2));
  assert.deepEqual(await page("?offset=2&limit=2"), profile_ids.slice(2));
  assert.deepEqual(await page("?offset=3"), []);
  assert.equal((await running.client.get(`/v1/runs/${id}/profiles?limit=0`)).status, 400);
  assert.equal((await running.client.get(`/v1/runs/${id}/profiles?limit=1001`)).status, 400);
});

test("a run on a full pool counts as queued and starts when a slot is free; its key starts one run only", async () => {
  const [held, waits] = await createProfiles(running.client, 2);
  assert.equal((await running.client.post(`/v1/profiles/${held}/launch`, { headless: true })).status, 200);
  const body = {
    script_id: await approved("export default async function run() { return 7; }"),
    profile_ids: [waits],
  };
  const key = { "idempotency-key": "once" };
  const run = await started("run", body, key);
  await until("a launch waits", async () => (await capacity()).queued === 1);
  assert.equal((await started("run", body, key)).id, run.id);
  assert.deepEqual([(await partsOf(run.id)).profiles[0]?.status, (await capacity()).active], ["waiting", 1]);
  await running.client.post(`/v1/profiles/${held}/stop`);
  await ended(run.id);
  const { profiles } = await partsOf(run.id);
  assert.deepEqual([profiles[0]?.status, profiles[0]?.result], ["completed", 7]);
});

test("two runs on one profile take turns, and neither closes the other's browser", async () => {
  const [profile] = await createProfiles(running.client, 1);
  const script_id = await approved(`export default async function run({ page, sleep }) {
    const seen = await page.evaluate("window.seen = (window.seen ?? 0) + 1");
    await sleep(300);
    return [seen, await page.evaluate("window.seen")];
  }`);
  const runs = await Promise.all([1, 2, 3].map(() => started("run", { script_id, profile_ids: [profile] })));
  for (const { id } of runs) {
    await ended(id);
    const [part] = (await partsOf(id)).profiles;
    assert.deepEqual([part?.status, part?.error, part?.result], ["completed", null, [1, 1]]);
  }
  await until("no browser is left", async () => (await capacity()).active === 0);
});

test("a run uses the browser that the user is opening, and leaves it open", async () => {
  const [profile] = await createProfiles(running.client, 1);
  const script_id = await approved("export default async function run() { return 7; }");
  const opening = running.client.post(`/v1/profiles/${profile}/launch`, { headless: true });
  const statusNow = async () =>
    ((await running.client.get("/v1/profiles")).body as { id: string; status: string }[]).find(
      ({ id }) => id === profile,
    )?.status;
  await until("the profile is starting", async () => (await statusNow()) === "starting");
  const { id } = await started("run", { script_id, profile_ids: [profile] });
  assert.equal((await opening).status, 200);
  await ended(id);
  const [part] = (await partsOf(id)).profiles;
  assert.deepEqual([part?.status, part?.error, part?.result], ["completed", null, 7]);
  assert.deepEqual([await statusNow(), (await capacity()).active], ["running", 1]);
});

test("a run that is cancelled while another uses its profile does not wait for that run", async () => {
  const [profile] = await createProfiles(running.client, 1);
  const script_id = await approved("export default async function run({ sleep }) { await sleep(600_000); }");
  const first = await started("run", { script_id, profile_ids: [profile] });
  await until("the first runs", async () => (await partsOf(first.id)).profiles[0]?.status === "running");
  const second = await started("run", { script_id, profile_ids: [profile] });
  await running.client.post(`/v1/runs/${second.id}/cancel`);
  await ended(second.id);
  assert.deepEqual((await partsOf(second.id)).run.status, "skipped");
  assert.deepEqual((await partsOf(first.id)).profiles[0]?.status, "running");
  await running.client.post(`/v1/runs/${first.id}/cancel`);
  await ended(first.id);
});

test("a normal stop skips parts that wait for a slot, without trying them", async () => {
  const [held, ...waiting] = await createProfiles(running.client, 3);
  assert.equal((await running.client.post(`/v1/profiles/${held}/launch`, { headless: true })).status, 200);
  const { id } = await started("batch", { script_id: await approved(firstSleeps), profile_ids: waiting });
  await until("a launch waits", async () => (await capacity()).queued === 1);
  await running.stop();
  await start();
  const { run, profiles } = await partsOf(id);
  assert.deepEqual([run.status, run.profilesFailed, run.error], ["failed", 0, "the service was stopped"]);
  assert.deepEqual(
    profiles.map(({ status }) => status),
    ["skipped", "skipped"],
  );
});
