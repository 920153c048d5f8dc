/** Datasets over HTTP: the replies and refusals of every route. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type {
  AppendRowsReply,
  AssignDatasetReply,
  CreateDatasetReply,
  Dataset,
  DatasetRowsReply,
  ResetDatasetReply,
  UnassignDatasetReply,
} from "../../protocol/datasets.ts";
import type { Profile } from "../../protocol/records.ts";
import { createProfiles, startTestService, type TestService } from "./running.ts";

let app: TestService;
before(async () => {
  app = await startTestService();
});
after(() => app.stop());

const nobody = "00000000-0000-4000-8000-000000000000";
const columns = [{ name: "email" }, { name: "password", secret: true }];
const account = (n: number) => ({ email: `user${n}@example.com`, password: `hush-hush ${n}` });

async function answered<Reply>(method: "get" | "post", path: string, body?: unknown): Promise<Reply> {
  const reply = await (method === "get" ? app.client.get(path) : app.client.post(path, body));
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as Reply;
}

async function refused(path: string, body: unknown, status: number, error: string | RegExp): Promise<void> {
  const reply = await app.client.post(path, body);
  const text = (reply.body as { error: string }).error;
  assert.equal(reply.status, status, text);
  if (typeof error === "string") assert.equal(text, error);
  else assert.match(text, error);
}

async function create(changes: object = {}): Promise<Dataset> {
  const body = { name: "Accounts", mode: "fixed", columns, rows: [account(1), account(2)], ...changes };
  return (await answered<CreateDatasetReply>("post", "/v1/datasets", body)).dataset;
}

const listed = () => answered<Profile[]>("get", "/v1/profiles");
const profileOf = async (id: string) => (await listed()).find((profile) => profile.id === id);

describe("POST /v1/datasets", () => {
  test("creates a dataset, reports bad rows by number, and lists it without values", async () => {
    const reply = await answered<CreateDatasetReply>("post", "/v1/datasets", {
      name: "Posts",
      mode: "consume",
      columns,
      rows: [account(1), { email: "only" }, account(3), { ...account(4), password: 7 }],
      rows_per_run: 2,
    });
    assert.deepEqual(reply.badRows, [
      { row: 2, error: 'column "password" is missing' },
      {
        row: 4,
        error: 'column "password" must be a string, got a number; convert it to text before sending',
      },
    ]);
    const { id: _id, createdAt: _createdAt, ...rest } = reply.dataset;
    assert.deepEqual(rest, {
      name: "Posts",
      mode: "consume",
      columns: [
        { name: "email", secret: false },
        { name: "password", secret: true },
      ],
      rowsPerRun: 2,
      rows: { total: 2, unassigned: 0, assigned: 0, available: 2, reserved: 0, used: 0 },
      profiles: 0,
    });
    const all = await answered<Dataset[]>("get", "/v1/datasets");
    assert.deepEqual(all.at(-1), reply.dataset);
    assert.ok(!JSON.stringify(all).includes("user1"));
  });

  const bad = [
    { what: { name: "" }, error: 'name must be a non-empty string of at most 200 characters, got ""' },
    { what: { mode: "rotating" }, error: 'mode must be one of fixed, consume, got "rotating"' },
    {
      what: { columns: [{ name: "" }] },
      error: /^invalid request: columns\[0\]\.name must be a non-empty string/,
    },
    { what: { columns: [{ name: "a", kind: "b" }] }, error: /unknown key columns\[0\]\.kind/ },
    {
      what: { columns: [{ name: "a" }, { name: "a" }], rows: [] },
      error: 'columns must have different names, got "a" twice',
    },
    { what: { rows: [5] }, error: /^invalid request: rows\[0\] must be an object/ },
    {
      what: { rows: [{ email: "a" }] },
      error: 'rows must contain at least one valid row: row 1: column "password" is missing',
    },
    { what: { rows_per_run: 1 }, error: "rows_per_run goes with mode consume only, got 1 with mode fixed" },
    {
      what: { mode: "consume", rows_per_run: 101 },
      error: "rows_per_run must be an integer from 1 to 100, got 101",
    },
  ];
  for (const { what, error } of bad) {
    test(`refuses ${JSON.stringify(what).slice(0, 60)}`, async () => {
      const body = { name: "Refused", mode: "fixed", columns, ...what };
      await refused(
        "/v1/datasets",
        body,
        400,
        typeof error === "string" ? `invalid request: ${error}` : error,
      );
      const all = await answered<Dataset[]>("get", "/v1/datasets");
      assert.ok(!all.some(({ name }) => name === "Refused"));
    });
  }
});

describe("the rows of a dataset", () => {
  test("are appended and read a page at a time, without secrets", async () => {
    const { id } = await create();
    const path = `/v1/datasets/${id}/rows`;
    const more = await answered<AppendRowsReply>("post", path, { rows: [account(3), {}, account(4)] });
    assert.equal(more.added, 2);
    assert.deepEqual(more.badRows, [{ row: 2, error: 'column "email" is missing' }]);
    assert.equal(more.dataset.rows.unassigned, 4);
    const page = await answered<DatasetRowsReply>("get", `${path}?offset=1&limit=2`);
    const row = (n: number) => ({
      row: n,
      state: "unassigned",
      profileId: null,
      runId: null,
      values: { email: `user${n}@example.com` },
    });
    assert.deepEqual(page, { total: 4, rows: [row(2), row(3)] });
    assert.deepEqual((await answered<DatasetRowsReply>("get", `${path}?offset=4`)).rows, []);
  });

  test("refuse pages and appends out of range, and datasets that do not exist", async () => {
    const { id } = await create();
    const path = `/v1/datasets/${id}/rows`;
    for (const limit of [0, 1001]) {
      const reply = await app.client.get(`${path}?limit=${limit}`);
      const error = `invalid request: limit must be an integer from 1 to 1000, got ${limit}`;
      assert.deepEqual([reply.status, reply.body], [400, { error }]);
    }
    await refused(
      path,
      { rows: [{ e: "" }] },
      400,
      /^invalid request: rows must contain at least one valid row: row 1/,
    );
    const missing = `not found: dataset ${nobody} does not exist`;
    const reply = await app.client.get(`/v1/datasets/${nobody}/rows`);
    assert.deepEqual([reply.status, reply.body], [404, { error: missing }]);
    await refused(`/v1/datasets/${nobody}/rows`, { rows: [{}] }, 404, missing);
    for (const call of ["assign", "unassign"]) {
      await refused(`/v1/datasets/${nobody}/${call}`, { profile_ids: [nobody] }, 404, missing);
    }
    await refused(`/v1/datasets/${nobody}/reset`, undefined, 404, missing);
    await refused("/v1/datasets/nonsense/reset", undefined, 400, /^invalid request: id must be a uuid/);
  });
});

describe("assign and unassign", () => {
  test("give each profile a row, show the dataset's name in its record, and remove both again", async () => {
    const { id } = await create({ name: "Identities" });
    const ids = await createProfiles(app.client, 2);
    const reply = await answered<AssignDatasetReply>("post", `/v1/datasets/${id}/assign`, {
      profile_ids: ids,
    });
    assert.deepEqual(
      reply.assigned,
      ids.map((profileId, index) => ({ profileId, row: index + 1 })),
    );
    assert.deepEqual([reply.dataset.rows.assigned, reply.dataset.profiles], [2, 2]);
    assert.equal((await profileOf(ids[0] ?? ""))?.identityDataset, "Identities");
    const back = await answered<UnassignDatasetReply>("post", `/v1/datasets/${id}/unassign`, {
      profile_ids: [ids[0]],
    });
    assert.deepEqual([back.unassigned, back.dataset.rows.unassigned], [[ids[0]], 1]);
    assert.equal((await profileOf(ids[0] ?? ""))?.identityDataset, undefined);
  });

  test("refuse a taken slot unless forced, too few rows, and profiles that do not exist", async () => {
    const fixed = await create({ name: "First" });
    const other = await create({ name: "Second" });
    const consume = await create({ name: "Third", mode: "consume" });
    const [a = "", b = "", c = ""] = await createProfiles(app.client, 3);
    const path = `/v1/datasets/${other.id}/assign`;
    await answered("post", `/v1/datasets/${fixed.id}/assign`, { profile_ids: [a] });
    await answered("post", `/v1/datasets/${consume.id}/assign`, { profile_ids: [a] });
    await refused(
      path,
      { profile_ids: [b, a] },
      409,
      `conflict: profile ${a} has a dataset in the identity slot already ("First"); force true replaces it`,
    );
    await refused(
      path,
      { profile_ids: [a, b, c], force: true },
      409,
      `conflict: dataset ${other.id} has 2 unassigned rows, 3 are needed: one for each profile; append rows first`,
    );
    assert.equal((await profileOf(a))?.identityDataset, "First", "a refused call assigns nothing");
    await refused(path, { profile_ids: [nobody] }, 409, `conflict: profile ${nobody} does not exist`);
    await refused(
      path,
      { profile_ids: [] },
      400,
      /^invalid request: profile_ids must be an array with at least 1/,
    );
    const forced = await answered<AssignDatasetReply>("post", path, { profile_ids: [a, b], force: true });
    assert.equal(forced.dataset.rows.assigned, 2);
    const record = await profileOf(a);
    assert.deepEqual([record?.identityDataset, record?.contentDataset], ["Second", "Third"]);
    const [first] = (await answered<DatasetRowsReply>("get", `/v1/datasets/${fixed.id}/rows`)).rows;
    assert.equal(first?.state, "unassigned");
  });
});

test("reset is for consume datasets", async () => {
  const consume = await create({ mode: "consume" });
  const reply = await answered<ResetDatasetReply>("post", `/v1/datasets/${consume.id}/reset`);
  assert.deepEqual([reply.reset, reply.dataset.rows.available], [0, 2]);
  const { id } = await create();
  await refused(
    `/v1/datasets/${id}/reset`,
    undefined,
    400,
    `invalid request: only a consume dataset can be reset, ${id} is fixed; unassign its profiles instead`,
  );
});

test("POST /v1/profiles assigns datasets to all new profiles, or creates no profile", async () => {
  const fixed = await create({ name: "Given" });
  const consume = await create({ name: "Content", mode: "consume" });
  const refuse = async (body: object, status: number, error: string) => {
    const before = (await listed()).length;
    await refused("/v1/profiles", { count: 1, ...body }, status, error);
    assert.equal((await listed()).length, before);
  };
  for (const field of ["identity_dataset_id", "content_dataset_id"]) {
    await refuse({ [field]: nobody }, 404, `not found: dataset ${nobody} does not exist`);
  }
  await refuse(
    { identity_dataset_id: consume.id },
    400,
    `invalid request: identity_dataset_id must name a fixed dataset, got the consume dataset ${consume.id}`,
  );
  await refuse(
    { content_dataset_id: fixed.id },
    400,
    `invalid request: content_dataset_id must name a consume dataset, got the fixed dataset ${fixed.id}`,
  );
  await refuse(
    { count: 3, identity_dataset_id: fixed.id },
    400,
    `invalid request: identity_dataset_id must name a dataset with a row for each profile: ${fixed.id} has 2 unassigned rows, 3 are needed; append rows or create fewer profiles`,
  );
  const { created } = await answered<{ created: { profile_id: string }[] }>("post", "/v1/profiles", {
    count: 2,
    identity_dataset_id: fixed.id,
    content_dataset_id: consume.id,
  });
  const { rows } = await answered<DatasetRowsReply>("get", `/v1/datasets/${fixed.id}/rows`);
  assert.deepEqual(
    rows.map((row) => [row.state, row.profileId]),
    created.map((profile) => ["assigned", profile.profile_id]),
  );
  const record = await profileOf(created[0]?.profile_id ?? "");
  assert.deepEqual([record?.identityDataset, record?.contentDataset], ["Given", "Content"]);
});

test("appending 20,000 rows in bodies of 5,000 does not delay other calls", async () => {
  const { id } = await create({ rows: [], name: "Many" });
  const rows = Array.from({ length: 5_000 }, (_, n) => account(n));
  let answeredMeanwhile = 0;
  let done = false;
  const watch = (async () => {
    while (!done) {
      await app.client.get("/v1/capacity");
      await app.client.get("/v1/datasets");
      if (!done) answeredMeanwhile += 1;
    }
  })();
  for (let body = 0; body < 4; body++) {
    assert.equal((await answered<AppendRowsReply>("post", `/v1/datasets/${id}/rows`, { rows })).added, 5_000);
  }
  done = true;
  await watch;
  assert.ok(answeredMeanwhile > 4, `${answeredMeanwhile} answers`);
  const page = await answered<DatasetRowsReply>("get", `/v1/datasets/${id}/rows?offset=19999`);
  assert.deepEqual(page.rows[0]?.values, { email: "user4999@example.com" });
});
