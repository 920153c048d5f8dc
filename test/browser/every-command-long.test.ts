/** Runs every operation's command once, against a real service and a real browser. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { documentExample } from "../../actors/dsl/examples.ts";
import { commandOf } from "../../gateway/cli/route-names.ts";
import { routes } from "../../gateway/routes/all.ts";
import type { Profile, Run } from "../../protocol/records.ts";
import { command } from "../gateway/in-process.ts";
import { type Served, serve, until } from "../gateway/serve.ts";

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
const page =
  "data:text/html,<title>Form</title><body style='height:5000px'><input id=text><input id=file type=file><input id=box type=checkbox><select id=list><option>one<option>two</select><button onclick='document.title=7'>Go</button>";
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

async function drive(id: string) {
  await run("navigate", id, "--url", page);
  await run("reload", id, "--ignore-cache");
  await run("waitFor", id, "--selector", "button", "--text", "Go", "--load", "load");
  await run("back", id);
  await run("forward", id);
  const node = async (selector: string) =>
    String((await run("waitForElement", id, "--selector", selector, "--timeout-ms", "5000")).node_id);
  await run("hover", id, "--node-id", await node("button"), "--position", '{"x":2,"y":3}');
  const how = [
    "--button",
    "left",
    "--count",
    "2",
    "--modifiers",
    "Shift,Control",
    "--position",
    '{"x":2,"y":3}',
  ];
  await run("click", id, "--node-id", await node("button"), ...how);
  const text = ["--node-id", await node("#text")];
  await run("type", id, ...text, "--text", "-@hello", "--clear", "--delay-ms", "1", "--submit");
  await run("pressKey", id, ...text, "--key", "Shift+Tab", "--count", "2");
  await run("scroll", id, "--amount", "500", "--direction", "down");
  await run("drag", id, "--from-node-id", await node("button"), "--to-node-id", await node("#box"));
  await run("check", id, "--node-id", await node("#box"), "--checked");
  await run("select", id, "--node-id", await node("#list"), "--values", "two");
  assert.deepEqual(
    (
      await run(
        "evaluate",
        id,
        "--expression",
        "[document.querySelector('#box').checked, document.querySelector('#list').value]",
      )
    ).result,
    [true, "two"],
  );
  await mkdir(join(data, "uploads"), { recursive: true });
  await writeFile(join(data, "uploads", "a.txt"), "a");
  await run("setFile", id, "--node-id", await node("#file"), "--path", "a.txt");
  const expression =
    "[document.title, document.querySelector('#text').value, document.querySelector('#file').files.length]";
  assert.deepEqual((await run("evaluate", id, "--expression", expression)).result, ["7", "-@hello", 1]);
}

async function look(id: string) {
  await run("answerDialog", id, "--accept", "--text", "yes");
  assert.deepEqual((await run("dialog", id)).next, { accept: true, text: "yes" });
  assert.match(String((await run("text", id, "--format", "text")).text), /Go/);
  await run(
    "evaluate",
    id,
    "--expression",
    "{ const a = document.createElement('a'); a.download = 'a.txt'; a.href = 'data:,a'; a.click(); }",
  );
  let downloads: { download_id: string }[] = [];
  while (downloads.length === 0) downloads = await run("listDownloads", id);
  const [download] = downloads.map(({ download_id }) => download_id);
  await run("readDownload", id, download ?? "", "--wait-ms", "5000", "-o", join(data, "a.txt"));
  assert.equal(await run("deleteDownload", id, download ?? ""), null);
  assert.ok(Array.isArray((await run("console", id, "--level", "error")).messages));
  assert.ok(Array.isArray((await run("network", id, "--failed")).requests));
  assert.match(String((await run("snapshot", id, "--interactive")).snapshot), /button "Go" \[id=\d+\]/);
  const { tab_id: tab } = await run<{ tab_id: string }>("openTab", id);
  const [, first] = await run<{ tab_id: string }[]>("listTabs", id);
  assert.equal(await run("activateTab", id, first?.tab_id ?? ""), null);
  assert.equal(
    (await run("evaluate", id, "--expression", "location.href", "--tab-id", tab)).result,
    "about:blank",
  );
  assert.equal(await run("closeTab", id, tab), null);
  const picture = await run("screenshot", id, "--full-page", "-o", join(data, "page.png"));
  assert.equal(picture.type, "image/png");
  const printed = await run("pdf", id, "--landscape", "-o", join(data, "page.pdf"));
  assert.equal(printed.type, "application/pdf");
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

  await drive(id);
  await look(id);
  assert.equal(await run("stopProfile", id), null);
  const cookies = ["--cookies", '[{"name":"a","value":"b","domain":"x.example"}]'];
  assert.equal((await run("addCookies", id, ...cookies)).taken, 1);
  assert.equal((await run("replaceCookies", id, ...cookies)).taken, 1);
  const txt = ["--format", "netscape", "--domain", "x.example", "-o", join(data, "cookies.txt")];
  assert.equal((await run("readCookies", id, ...txt)).type, "text/plain");
  assert.equal(await run("deleteCookies", id), null);
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
  const { profiles } = await run<{ profiles: { output: unknown }[] }>("readRunProfiles", first.id);
  assert.deepEqual(profiles[0]?.output, [{ n: 1 }]);
  const [picture] = await run<{ name: string }[]>("listRunFiles", first.id, id);
  assert.equal(picture?.name, "a.png");
  await run("readRunFile", first.id, id, "a.png", "-o", join(data, "read"));
  const rows = await run("readRunOutput", first.id, "--format", "csv", "-o", join(data, "rows.csv"));
  assert.equal(rows.type, "text/csv");
  assert.equal((await run("checkScript", "--source", source)).ok, true);
  assert.equal((await command("scripts", "approve", scriptId, "--data", data)).code, 0);
  assert.equal((await run<{ approved: boolean }[]>("listScripts"))[0]?.approved, true);

  const batch = ["--script-id", scriptId, "--profile-ids", id, "--concurrency", "1", "--stagger-ms", "0"];
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
});

test("no operation is left out", () => {
  assert.deepEqual(
    routes.map(({ id }) => id).filter((id) => !called.has(id)),
    [],
  );
});
