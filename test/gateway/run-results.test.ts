/** A run's output as lines and CSV, its retry, and what may be deleted when. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import type { RunProfileOutcome } from "../../protocol/messages/library.ts";
import type { Run } from "../../protocol/records.ts";
import { nothingDone } from "../../protocol/run-outcomes.ts";
import { command } from "./in-process.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
let profiles: string[];
let scriptId: string;
before(async () => {
  app = await startTestService();
  profiles = await createProfiles(app.client, 3);
  const source = "export default async function run() {}\n";
  const { body } = await app.client.post("/v1/scripts", { name: "none", source });
  scriptId = (body as { scriptId: string }).scriptId;
});
after(() => app.stop());

const remove = (path: string) => app.client.call("DELETE", path);

const retry = (id: string, only: string) =>
  app.client.post(`/v1/runs/${id}/retry`, Object.fromEntries([["only", only]]));

/** A run whose parts ended so, without a browser; `files` are names in the part's own directory. */
async function ended(...outcomes: Partial<RunProfileOutcome>[]): Promise<string> {
  const { library } = app.service.actors;
  const { run } = await library.createRun({
    scriptId,
    profileIds: profiles.slice(0, outcomes.length),
    variables: { secret: "s3" },
    headless: true,
    batch: false,
    concurrency: 2,
    staggerMs: 5,
    source: null,
    scheduleId: null,
  });
  for (const [index, outcome] of outcomes.entries()) {
    const profileId = profiles[index] ?? "";
    const { scratchDir } = await library.beginRunProfile({ runId: run.id, profileId });
    const files = (outcome.files ?? []).map((name) => join(scratchDir, name));
    for (const file of files) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "words");
    }
    const done = { status: "completed", error: null, ...nothingDone(), ...outcome, files } as const;
    await library.endRunProfile({ runId: run.id, profileId, outcome: done });
  }
  await library.endRun({ runId: run.id, error: null });
  return run.id;
}

test("output is a line or a CSV row for each row of each profile", async () => {
  const id = await ended(
    {
      output: [
        { n: 1, profile: "mine" },
        { n: 2, note: "=SUM(A1)" },
      ],
    },
    { output: [] },
    { output: [{ other: { deep: [1] } }] },
  );
  const lines = await app.client.get(`/v1/runs/${id}/output`);
  assert.equal(lines.headers["content-type"], "application/jsonl");
  assert.deepEqual(
    String(lines.body)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [
      { profile: profiles[0], n: 1, "output.profile": "mine" },
      { profile: profiles[0], n: 2, note: "=SUM(A1)" },
      { profile: profiles[2], other: { deep: [1] } },
    ],
  );
  const csv = await app.client.get(`/v1/runs/${id}/output?format=csv`);
  assert.match(String(csv.headers["content-disposition"]), /run-.*\.csv/);
  assert.deepEqual(String(csv.body).split("\r\n"), [
    "profile,n,output.profile,note,other",
    `${profiles[0]},1,mine,,`,
    `${profiles[0]},2,,'=SUM(A1),`,
    `${profiles[2]},,,,"{""deep"":[1]}"`,
    "",
  ]);
  assert.equal((await app.client.get(`/v1/runs/${randomUUID()}/output`)).status, 404);
  assert.equal((await app.client.get(`/v1/runs/${id}/output?format=xml`)).status, 400);
});

test("a profile's files are listed and read, in directories too, and nothing else is", async () => {
  const names = ["ä b.txt", "deep/p.png"];
  const kept = await ended({ files: names }, {});
  const [first = "", second = "", third = ""] = profiles;
  const files = (profile: string) => `/v1/runs/${kept}/profiles/${profile}/files`;
  const listed = await app.client.get(files(first.toUpperCase()));
  assert.deepEqual(
    listed.body,
    names.map((name) => ({ name, bytes: 5 })),
  );
  assert.deepEqual((await app.client.get(files(second))).body, []);
  assert.equal((await app.client.get(files(third))).status, 404);
  for (const name of names) {
    const { status, headers, body } = await app.client.get(`${files(first)}/${encodeURIComponent(name)}`);
    assert.deepEqual([status, String(body)], [200, "words"]);
    assert.match(
      String(headers["content-disposition"]),
      /^attachment; filename="(_ b.txt|p.png)"; filename\*=UTF-8''(%C3%A4%20b.txt|p.png)$/,
    );
    assert.equal(headers["content-length"], "5");
  }
  for (const name of ["../../../../etc/passwd", "none.txt"]) {
    const path = `${files(first)}/${encodeURIComponent(name)}`;
    assert.equal((await app.client.get(path)).status, 404, name);
  }
});

test("a file's size is in its reply, and its name in the form that every program reads", async () => {
  const names = [`it's "1" (50%); *new*, \\ ü.txt`, "empty.txt"];
  const kept = await ended({ files: names });
  const directory = join(app.dataDir, "runs", kept, profiles[0] ?? "");
  writeFileSync(join(directory, "empty.txt"), "");
  const read = (name: string) =>
    app.client.get(`/v1/runs/${kept}/profiles/${profiles[0]}/files/${encodeURIComponent(name)}`);
  const [odd, empty] = await Promise.all(names.map(read));
  assert.equal(
    odd?.headers["content-disposition"],
    `attachment; filename="it's _1_ (50_); *new*, _ _.txt"; filename*=UTF-8''it%27s%20%221%22%20%2850%25%29%3B%20%2Anew%2A%2C%20%5C%20%C3%BC.txt`,
  );
  assert.deepEqual([empty?.status, empty?.headers["content-length"]], [200, "0"]);
});

test("a kept picture is written to a file of its kind by the command line", async () => {
  const kept = await ended({ files: ["shot.png"] });
  const file = join(app.dataDir, "shot.png");
  const args = [kept, profiles[0] ?? "", "shot.png", "-o", file, "--data", app.dataDir];
  const { code, stderr } = await command("runs", "read-file", ...args);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(readFileSync(file, "utf8"), "words");
});

test("a retry asks for what did not complete, with the same variables, and fresh", async () => {
  const { library } = app.service.actors;
  const id = await ended({}, { status: "failed", error: "boom" }, { status: "failed", error: "interrupted" });
  const request = await library.retryRequest({ runId: id, only: null });
  assert.deepEqual(
    [request.profileIds, request.variables, request.headless, request.concurrency, request.staggerMs],
    [profiles.slice(1), { secret: "s3" }, true, 2, 5],
  );
  const only = async (word: "failed" | "interrupted") =>
    (await library.retryRequest({ runId: id, only: word })).profileIds;
  assert.deepEqual([await only("failed"), await only("interrupted")], [[profiles[1]], [profiles[2]]]);
  const none = await retry(id, "skipped");
  assert.deepEqual(
    [none.status, none.body],
    [409, { error: `conflict: run ${id} has no skipped profile to run again` }],
  );
  assert.equal((await app.client.post(`/v1/runs/${await ended({})}/retry`)).status, 409);
  assert.equal((await retry(id, "all")).status, 400);
});

test("an ended run is deleted with its files; one in progress is not", async () => {
  const id = await ended({});
  const directory = join(app.dataDir, "runs", id, "part");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "a.txt"), "a");
  assert.equal((await remove(`/v1/runs/${id}`)).status, 204);
  assert.equal(existsSync(join(app.dataDir, "runs", id)), false);
  assert.equal((await remove(`/v1/runs/${id}`)).status, 404);
  const { library } = app.service.actors;
  const request = await library.retryRequest({ runId: await ended({ status: "failed" }), only: null });
  const { run } = await library.createRun({ ...request, source: null });
  const refused = await remove(`/v1/runs/${run.id}`);
  assert.match(JSON.stringify([refused.status, refused.body]), /409.*in progress; cancel it/);
  const script = await remove(`/v1/scripts/${scriptId}`);
  assert.match(JSON.stringify([script.status, script.body]), new RegExp(`409.*run ${run.id} uses script`));
  await library.cancelRun({ runId: run.id });
  await library.endRun({ runId: run.id, error: null });
  assert.equal(((await app.client.get(`/v1/runs/${run.id}`)).body as Run).status, "skipped");
});
