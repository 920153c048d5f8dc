/** Rows of datasets in a run on a real browser: what an approved script receives, and the rows' states afterwards. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connectApp } from "../../gateway/app-client.ts";
import { readInstance } from "../../gateway/instance.ts";
import type { CreateDatasetReply, DatasetRowsReply } from "../../protocol/datasets.ts";
import type { Run } from "../../protocol/records.ts";
import type { RunProfilesReply } from "../../protocol/run-requests.ts";
import { startTestService, type TestService } from "../gateway/running.ts";
import { until } from "../gateway/serve.ts";

let dataDir: string;
let app: TestService;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "troupe-dataset-runs-"));
  app = await startTestService({ dataDir });
});
after(async () => {
  await app.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function post<Reply>(path: string, body: object): Promise<Reply> {
  const reply = await app.client.post(path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as Reply;
}

async function datasetOf(mode: string, rows: object[], more: object = {}): Promise<string> {
  const columns = [{ name: "user" }, { name: "pin", secret: true }];
  const body = { name: mode, mode, columns, rows, ...more };
  return (await post<CreateDatasetReply>("/v1/datasets", body)).dataset.id;
}

test("a script receives row and rows, and they are used or released afterwards", async () => {
  const row = (n: number) => ({ user: `u${n}`, pin: `p${n}` });
  const identity = await datasetOf("fixed", [row(1)]);
  const content = await datasetOf("consume", [row(2), row(3), row(4)], { rows_per_run: 2 });
  const { created } = await post<{ created: { profile_id: string }[] }>("/v1/profiles", {
    count: 1,
    identity_dataset_id: identity,
    content_dataset_id: content,
  });
  const source = `export default async function run({ page, row, rows }) {
    await page.goto("data:text/html,<title>" + row.user + "</title>");
    if (rows.length < 2) throw new Error("too few rows");
    return { title: await page.title(), row, rows };
  }`;
  const { scriptId } = await post<{ scriptId: string }>("/v1/scripts", { name: "s", source });
  const instance = readInstance(dataDir);
  assert.ok(instance);
  await connectApp(instance).approveScript({ scriptId });
  const play = async (): Promise<RunProfilesReply> => {
    const body = { script_id: scriptId, profile_ids: [created[0]?.profile_id], headless: true };
    const { id } = await post<Run>("/v1/scripts/run", body);
    const read = async () => (await app.client.get(`/v1/runs/${id}/profiles`)).body as RunProfilesReply;
    await until("the run has ended", async () => (await read()).run.status !== "running");
    return read();
  };
  const states = async () => {
    const page = (await app.client.get(`/v1/datasets/${content}/rows`)).body as DatasetRowsReply;
    return page.rows.map(({ state }) => state);
  };
  const first = await play();
  assert.deepEqual(first.profiles[0]?.result, { title: "u1", row: row(1), rows: [row(2), row(3)] });
  assert.deepEqual(await states(), ["used", "used", "available"]);
  const second = await play();
  assert.deepEqual([second.run.status, second.profiles[0]?.status], ["failed", "failed"]);
  assert.match(String(second.profiles[0]?.error), /too few rows/);
  assert.deepEqual(await states(), ["used", "used", "available"]);
});
