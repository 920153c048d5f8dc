/** Runs every operation's command once, against a real service and a real browser. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { documentExample } from "../../actors/dsl/examples.ts";
import { commandOf } from "../../gateway/cli/route-names.ts";
import { routes } from "../../gateway/routes/all.ts";
import type { Profile, Run } from "../../protocol/records.ts";
import { command } from "../gateway/in-process.ts";
import { type Served, serve, until } from "../gateway/serve.ts";
import { root } from "../tidy/tree.ts";
import { drive, look } from "./fixture/every-verb.ts";

let data: string;
let served: Served;
before(async () => {
  data = await mkdtemp(join(tmpdir(), "troupe-every-"));
  served = await serve(data, "--rate-limit", "0");
});
after(async () => {
  await served.end("SIGTERM");
  await rm(data, { recursive: true, force: true });
});

const source =
  "export default async function run({ output, page, scratchDir }) { output({ n: 1 }); await page.screenshot({ path: scratchDir + '/a.png' }); }\n";
const called = new Set<string>();
async function run<Body = Record<string, unknown>>(id: string, ...args: string[]): Promise<Body> {
  const route = routes.find((candidate) => candidate.id === id);
  assert.ok(route, id);
  called.add(id);
  const { group, name } = commandOf(route);
  const { code, stdout, stderr } = await command(group, name, ...args, "--data", data, "--json");
  assert.equal(code, 0, `troupe ${group} ${name} ${args.join(" ")}: ${stderr}`);
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

const ended = async (id: string) => {
  let last: Run | undefined;
  await until("the run's end", async () => {
    last = await run<Run>("readRun", id);
    return last.status !== "running";
  });
  return last?.status;
};

async function copies(id: string) {
  const { created } = await run<{ created: { profile_id: string }[] }>(
    "duplicateProfile",
    id,
    "--with-state",
  );
  const { checkpoint_id } = await run<{ checkpoint_id: string }>("createCheckpoint", id, "--name", "now");
  assert.equal((await run<unknown[]>("listCheckpoints", id)).length, 1);
  assert.equal(await run("restoreCheckpoint", id, checkpoint_id), null);
  assert.equal(await run("deleteCheckpoint", id, checkpoint_id), null);
  const file = join(data, "one.troupe");
  await run("exportProfile", id, "-o", file);
  const imported = await run<{ id: string; missing: string[] }>("importProfile", "--file", file);
  assert.match(imported.missing.join(), /values of 1 variables: city/);
  for (const one of [created[0]?.profile_id ?? "", imported.id])
    await run("deleteProfile", one, "--permanent");
}

test("profiles and pages", async () => {
  const { created } = await run<{ created: { profile_id: string }[] }>("createProfiles", "--count", "2");
  const [id = ""] = created.map(({ profile_id }) => profile_id);
  assert.equal((await run<unknown[]>("listProfiles")).length, 2);
  assert.equal((await run<unknown[]>("listProfiles", "--limit", "1", "--after", id)).length, 1);
  assert.equal((await run<{ id: string }>("readProfile", id)).id, id);
  await run("setVariables", id, "--variables", "city=Berlin");
  const launched = await run<{ cdpUrl: string }>(
    "launchProfile",
    id,
    "--headless",
    "--idle-timeout-secs",
    "0",
  );
  assert.match(launched.cdpUrl, /^http:\/\/127\.0\.0\.1:/);
  assert.equal((await run("getCapacity")).active, 1);

  await drive(run, data, id);
  await look(run, data, id);
  const wait = ["--message", "Look", "--timeout-ms", "1000"];
  assert.equal((await run("handOver", id, ...wait)).outcome, "timed_out");
  assert.equal(await run("stopProfile", id), null);
  const cookies = ["--cookies", '[{"name":"a","value":"b","domain":"x.example"}]'];
  assert.equal((await run("addCookies", id, ...cookies)).taken, 1);
  assert.equal((await run("replaceCookies", id, ...cookies)).taken, 1);
  const txt = ["--format", "netscape", "--domain", "x.example", "-o", join(data, "cookies.txt")];
  assert.equal((await run("readCookies", id, ...txt)).type, "text/plain");
  assert.equal(await run("deleteCookies", id), null);
  assert.deepEqual(await run("readStorageState", id), { cookies: [], origins: [] });
  const state = ["--cookies", "[]", "--origins", "[]"];
  assert.equal((await run("replaceStorageState", id, ...state)).taken, 0);
  await copies(id);
  assert.equal(await run("deleteProfile", id), null);
  assert.equal((await run<unknown[]>("listTrash")).length, 1);
  assert.equal((await run<{ id: string }>("restoreProfile", id)).id, id);
  assert.equal((await run("getCapacity")).active, 0);
});

test("proxies, and changes of a profile", async () => {
  const [id = "", other = ""] = (await run<Profile[]>("listProfiles")).map((profile) => profile.id);
  const lines = ["--lines", "127.0.0.1:9:user:pass", "--lines", "127.0.0.1:10"];
  const { pool } = await run<{ pool: { id: string } }>(
    "createProxyPool",
    "--name",
    "Dead",
    "--type",
    "http",
    ...lines,
  );
  assert.equal((await run<unknown[]>("listProxyPools")).length, 1);
  await run("assignProxyPool", pool.id, "--profile-ids", `${id},${other}`, "--no-force");
  await run("testProxyPool", pool.id);
  assert.equal((await run("readProfileProxy", id)).poolId, pool.id);
  assert.equal((await run("patchProxyPool", pool.id, "--name", "Gone")).name, "Gone");
  const changes = [
    "--name",
    "New",
    "--tags",
    "a,b",
    "--folder",
    "null",
    "--proxy",
    `{"pool_id":"${pool.id}","slot":1}`,
  ];
  const changed = await run<Profile>("patchProfile", id, ...changes);
  assert.deepEqual(
    [changed.name, changed.tags, changed.folder, changed.proxy.port],
    ["New", ["a", "b"], null, 10],
  );
  assert.equal((await run<Profile>("patchProfile", id, "--proxy", "127.0.0.1:11")).proxy.port, 11);
  for (const each of [id, other]) await run("patchProfile", each, "--proxy", "null");
  assert.equal(await run("deleteProxyPool", pool.id), null);
});

test("datasets", async () => {
  const [profile] = await run<{ id: string }[]>("listProfiles");
  const id = profile?.id ?? "";
  const made = ["--name", "D", "--mode", "consume", "--columns", '{"name":"t"}', "--rows-per-run", "2"];
  const { dataset } = await run<{ dataset: { id: string } }>("createDataset", ...made);
  await run("appendDatasetRows", dataset.id, "--rows", '[{"t":"1"},{"t":"2"}]');
  const { rows } = await run<{ rows: unknown[] }>("listDatasetRows", dataset.id, "--limit", "1");
  assert.equal(rows.length, 1);
  await run("assignDataset", dataset.id, "--profile-ids", id);
  await run("unassignDataset", dataset.id, "--profile-ids", id);
  await run("resetDataset", dataset.id);
  assert.equal((await run<unknown[]>("listDatasets")).length, 1);
  assert.equal((await run("exportDataset", dataset.id, "-o", join(data, "d.csv"))).type, "text/csv");
  assert.equal(await run("deleteDataset", dataset.id), null);
});

async function readResults(runId: string, id: string) {
  const { profiles } = await run<{ profiles: { output: unknown }[] }>("readRunProfiles", runId);
  assert.deepEqual(profiles[0]?.output, [{ n: 1 }]);
  const [picture] = await run<{ name: string }[]>("listRunFiles", runId, id);
  assert.equal(picture?.name, "a.png");
  await run("readRunFile", runId, id, "a.png", "-o", join(data, "read"));
  const rows = await run("readRunOutput", runId, "--format", "csv", "-o", join(data, "rows.csv"));
  assert.equal(rows.type, "text/csv");
  called.add("readRunLog");
  assert.equal((await command("runs", "read-log", runId, "--data", data)).code, 0);
}

test("scripts, runs and schedules", async () => {
  const [, profile] = await run<{ id: string }[]>("listProfiles");
  const { created } = await run<{ created: { profile_id: string }[] }>("createProfiles", "--count", "1");
  const id = created[0]?.profile_id ?? "";
  assert.ok(profile);
  const { scriptId } = await run<{ scriptId: string }>("saveScript", "--name", "one.ts", "--source", source);
  assert.equal((await run("readScript", scriptId)).source, source);
  const first = await run<Run>(
    "runScript",
    "--script-id",
    scriptId,
    "--profile-ids",
    id,
    "--variables",
    "a=1",
  );
  assert.equal(first.source, "app");
  assert.equal(await ended(first.id), "completed");
  await readResults(first.id, id);
  assert.equal((await run("checkScript", "--source", source)).ok, true);
  assert.equal((await command("scripts", "approve", scriptId, "--data", data)).code, 0);
  assert.equal((await run<{ approved: boolean }[]>("listScripts"))[0]?.approved, true);

  const batch = ["--script-id", scriptId, "--profile-ids", id, "--concurrency", "1", "--stagger-ms", "0"];
  assert.equal((await run("runBatch", ...batch, "--dry-run")).ready, 1);
  const started = await run<Run>("runBatch", ...batch, "--idempotency-key", "k1");
  assert.equal((await run<Run>("runBatch", ...batch, "--idempotency-key", "k1")).id, started.id);
  await run("cancelRun", started.id);
  await ended(started.id);
  const again = await run<Run>("retryRun", started.id, "--only", "skipped");
  assert.equal(await ended(again.id), "completed");
  assert.equal(await run("deleteRun", again.id), null);

  const timing = ["--schedule-type", "daily", "--daily-hour", "3", "--daily-minute", "30", "--no-enabled"];
  const made = ["--name", "Nightly", "--script-id", scriptId, "--profile-ids", id, ...timing];
  const schedule = await run<{ id: string; enabled: boolean }>("createSchedule", ...made);
  assert.equal(schedule.enabled, false);
  assert.equal((await run("enableSchedule", schedule.id, "--enabled")).enabled, true);
  const now = await run<Run>("runSchedule", schedule.id);
  assert.equal(await ended(now.id), "completed");
  const runs = await run<Run[]>("listRuns", "--schedule-id", schedule.id, "--limit", "5");
  assert.deepEqual(
    runs.map((each) => each.id),
    [now.id],
  );
  assert.equal((await run<unknown[]>("listSchedules")).length, 1);
  assert.equal(
    (await run("patchSchedule", schedule.id, "--daily-hour", "4", "--concurrency", "null")).dailyHour,
    4,
  );
  assert.equal(await run("deleteSchedule", schedule.id), null);
  assert.equal(await run("deleteScript", scriptId), null);
});

test("the DSL and the service", async () => {
  assert.equal((await run("readDslSchema")).dslVersion, documentExample.dslVersion);
  const file = join(data, "one.json");
  await writeFile(file, JSON.stringify(documentExample));
  const compiled = await run("compileDsl", "--dsl", `@${file}`, "--target", "playwright");
  assert.match(String(compiled.code), /export default async function/);
  assert.equal((await run("readOpenapi")).openapi, "3.1.0");
  assert.equal((await run("patchSettings", "--idle-timeout-secs", "60")).idleTimeoutSecs, 60);
  assert.equal((await run("readSettings")).idleTimeoutSecs, 60);
  assert.equal((await run("readHealth")).ready, true);
  assert.match(String((await run("readMetrics", "-o", join(data, "metrics.txt"))).type), /^text\/plain/);
  assert.deepEqual(await run("listExtensions"), []);
  const hook = await run("createWebhook", "--url", "http://127.0.0.1:9/", "--types", "run.ended");
  assert.match(String(hook.secret), /^whsec_/);
  assert.equal((await run<{ url: string }[]>("listWebhooks"))[0]?.url, "http://127.0.0.1:9/");
  assert.equal(await run("deleteWebhook", String(hook.webhook_id)), null);
});

test("events are written as they come, until their reader ends", async () => {
  called.add("listEvents");
  const args = ["service", "list-events", "--after", "0", "--types", "profile.changed", "--data", data];
  const child = spawn(process.execPath, [join(root, "dist", "troupe.js"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const part of child.stdout.setEncoding("utf8")) {
    text += part;
    if (text.includes("event: profile.changed\n")) break;
  }
  // The loop above closed the pipe, which the command notices when it writes the next event.
  const [profile] = await run<Profile[]>("listProfiles");
  await run("patchProfile", String(profile?.id), "--name", "Renamed");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  assert.match(text, /^data: \{"type":"profile\.changed","profile_id":"/m);
});

test("no operation is left out", () => {
  const missing = routes.map(({ id }) => id).filter((id) => !called.has(id));
  const remedy = "call it in this file, or a page verb in fixture/every-verb.ts";
  assert.ok(missing.length === 0, `${missing.join(", ")}: ${remedy}`);
});
