/** Datasets of the library: rows are checked, encrypted and assigned, and invalid calls refused. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { DatasetMode } from "../../protocol/datasets.ts";
import { account, accounts, bytesOf, newDataset, pageOf, startRun } from "./datasets.ts";
import { createProfiles, listProfiles, openLibrary } from "./library.ts";

describe("rows", () => {
  test("are reported by number when they are invalid, and the valid ones are kept", async (t) => {
    const { library } = await openLibrary(t);
    const rows = [
      account(1),
      { email: "a" },
      { ...account(2), age: "7" },
      { email: 5, password: "secret digits" },
      "text",
      { email: "x".repeat(64 * 1024 + 1), password: "" },
      { password: "any order", email: "é".repeat(32 * 1024) },
      null,
    ];
    const { dataset, badRows } = await newDataset(library, "fixed", accounts, rows);
    assert.deepEqual(badRows, [
      { row: 2, error: 'column "password" is missing' },
      { row: 3, error: 'there is no column "age"; the columns are "email", "password"' },
      { row: 4, error: 'column "email" must be a string, got a number; convert it to text before sending' },
      { row: 5, error: "a row must be an object keyed by column name, got a string" },
      { row: 6, error: 'column "email" has 65537 bytes, at most 65536 are allowed' },
      { row: 8, error: "a row must be an object keyed by column name, got null" },
    ]);
    assert.equal(dataset.rows.total, 2);
    assert.deepEqual((await pageOf(library, dataset.id)).rows[1]?.values, { email: "é".repeat(32 * 1024) });
  });

  test("are refused when all are invalid, and nothing is created", async (t) => {
    const { library } = await openLibrary(t);
    await assert.rejects(newDataset(library, "fixed", accounts, [{}, {}, {}, {}]), {
      kind: "invalid",
      message:
        'rows must contain at least one valid row: row 1: column "email" is missing; row 2: column "email" is missing; row 3: column "email" is missing; and 1 more',
    });
    assert.deepEqual(await library.listDatasets({}), []);
    const { dataset } = await newDataset(library, "fixed", accounts, []);
    await assert.rejects(library.appendRows({ datasetId: dataset.id, rows: bytesOf([{}]) }), {
      kind: "invalid",
    });
    assert.equal((await library.listDatasets({}))[0]?.rows.total, 0);
  });

  test("are not appended to a dataset that is deleted meanwhile, at whatever moment", async (t) => {
    const { library } = await openLibrary(t);
    const seen = new Set<string>();
    for (let turns = 0; turns < 8; turns += 1) {
      const { dataset } = await newDataset(library, "consume", accounts, []);
      const rows = bytesOf([account(1), account(2)]);
      const appended = library.appendRows({ datasetId: dataset.id, rows }).then(
        ({ added }) => `${added} added`,
        (error: Error) => error.message.replace(dataset.id, "it"),
      );
      for (let turn = 0; turn < turns; turn += 1)
        await new Promise<void>((resolve) => void setImmediate(resolve));
      await library.deleteDataset({ datasetId: dataset.id });
      seen.add(await appended);
    }
    assert.deepEqual([...seen].sort(), ["2 added", "dataset it does not exist"]);
  });

  test("are checked without delaying other calls", async (t) => {
    const { library } = await openLibrary(t);
    for (const columns of [[{ name: "email" }], accounts]) {
      const { dataset } = await newDataset(library, "consume", columns, []);
      const rows = [1, 2, 3].map((n) => (columns === accounts ? account(n) : { email: `user${n}` }));
      const answered: string[] = [];
      const appended = library
        .appendRows({ datasetId: dataset.id, rows: bytesOf(rows) })
        .then(({ added }) => {
          answered.push(`${added} added`);
        });
      await new Promise<void>((resolve) => setImmediate(resolve));
      const now = (await library.listDatasets({})).find(({ id }) => id === dataset.id);
      answered.push(`${now?.rows.total} listed`);
      await appended;
      assert.deepEqual(answered, ["0 listed", "3 added"]);
    }
  });

  test("keep any text and any column name, and are numbered on with each append", async (t) => {
    const { library, reopen } = await openLibrary(t);
    const names = ["__proto", 'quo"ted', "constructor", "ünï"];
    const odd = ["\u0000nul", 'a"b\\c', "\ud800 lone", "😀\n\t"];
    const row = Object.fromEntries(names.map((name, index) => [name, odd[index] ?? ""]));
    const columns = names.map((name, index) => ({ name, secret: index === 3 }));
    const { dataset } = await newDataset(library, "fixed", columns, [row]);
    await library.appendRows({ datasetId: dataset.id, rows: bytesOf([row, row]) });
    const again = await reopen();
    const { total, rows } = await pageOf(again, dataset.id, 1, 5);
    assert.equal(total, 3);
    assert.deepEqual(
      rows.map((one) => one.row),
      [2, 3],
    );
    const { ünï: _secret, ...open } = row;
    assert.deepEqual(rows[0]?.values, open);
    const [profileId = ""] = await createProfiles(again, 1);
    await again.assignDataset({ datasetId: dataset.id, profileIds: [profileId], force: false });
    const runId = await startRun(again, [profileId]);
    assert.deepEqual((await again.beginRunProfile({ runId, profileId })).row, row);
    const proto = JSON.parse('{"__proto__":"x"}');
    const named = newDataset(again, "fixed", [{ name: "__proto__" }], [proto]);
    await assert.rejects(named, /columns: the name __proto__ is reserved/);
    await assert.rejects(
      again.setVariables({ profileId, variables: proto }),
      /the name __proto__ is reserved/,
    );
  });

  test("of simultaneous appends are numbered in order, and each can be decrypted", async (t) => {
    const { library } = await openLibrary(t);
    const { dataset } = await newDataset(library, "fixed", accounts, [account(0)]);
    const append = (rows: unknown[]) => library.appendRows({ datasetId: dataset.id, rows: bytesOf(rows) });
    const appends = [
      append([account(1), account(2)]),
      assert.rejects(append([{}]), { kind: "invalid" }),
      append([account(3)]),
      append([account(4)]),
    ];
    await Promise.all(appends);
    const profileIds = await createProfiles(library, 5);
    await library.assignDataset({ datasetId: dataset.id, profileIds, force: false });
    const runId = await startRun(library, profileIds);
    for (const [index, profileId] of profileIds.entries()) {
      assert.deepEqual((await library.beginRunProfile({ runId, profileId })).row, account(index));
    }
  });

  test("have secrets that are in no file and in no reply", async (t) => {
    const { library, dataDir } = await openLibrary(t);
    const { dataset } = await newDataset(library, "fixed", accounts, [account(1)]);
    await library.appendRows({ datasetId: dataset.id, rows: bytesOf([account(2)]) });
    const replies = [await library.listDatasets({}), await pageOf(library, dataset.id)];
    assert.ok(!JSON.stringify(replies).includes("hush-hush"));
    await library.maintain({});
    await library.close({});
    for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith("library"))) {
      assert.ok(!readFileSync(join(dataDir, name)).includes("hush-hush"), name);
    }
  });
});

describe("a dataset", () => {
  test("needs different column names, and accepts rows_per_run only with mode consume", async (t) => {
    const { library } = await openLibrary(t);
    await assert.rejects(newDataset(library, "fixed", [{ name: "a" }, { name: "a" }], []), {
      kind: "invalid",
      message: 'columns must have different names, got "a" twice',
    });
    await assert.rejects(newDataset(library, "fixed", [{ name: "a" }], [], 2), {
      kind: "invalid",
      message: "rows_per_run goes with mode consume only, got 2 with mode fixed",
    });
    const { dataset } = await newDataset(library, "consume", [{ name: "a" }], []);
    assert.equal(dataset.rowsPerRun, 1);
  });

  test("of mode fixed gives each profile a row, or is assigned to none", async (t) => {
    const { library } = await openLibrary(t);
    const [a = "", b = "", c = ""] = await createProfiles(library, 3);
    const { dataset } = await newDataset(library, "fixed", accounts, [account(1), account(2)]);
    const other = (await newDataset(library, "fixed", accounts, [account(3)], null, "Other")).dataset;
    const assign = (datasetId: string, profileIds: string[], force = false) =>
      library.assignDataset({ datasetId, profileIds, force });
    await assert.rejects(assign(dataset.id, [a, b, c]), {
      kind: "conflict",
      message: `dataset ${dataset.id} has 2 unassigned rows, 3 are needed: one for each profile; append rows first`,
    });
    const { assigned } = await assign(dataset.id, [b, b.toUpperCase(), a]);
    assert.deepEqual(assigned, [
      { profileId: b, row: 1 },
      { profileId: a, row: 2 },
    ]);
    await assert.rejects(assign(other.id, [c, a]), {
      kind: "conflict",
      message: `profile ${a} has a dataset in the identity slot already ("Test"); force true replaces it`,
    });
    assert.deepEqual(
      (await listProfiles(library)).map((profile) => profile.identityDataset),
      ["Test", "Test", undefined],
    );
    await assign(other.id, [a], true);
    const { rows } = await pageOf(library, dataset.id);
    assert.deepEqual(
      rows.map(({ state, profileId }) => [state, profileId]),
      [
        ["assigned", b],
        ["unassigned", null],
      ],
    );
    const kept = await assign(dataset.id, [b, c], true);
    assert.deepEqual(kept.assigned, [
      { profileId: b, row: 1 },
      { profileId: c, row: 2 },
    ]);
    const { unassigned } = await library.unassignDataset({ datasetId: dataset.id, profileIds: [a, c, b] });
    assert.deepEqual(unassigned, [c, b]);
    const [listed] = await library.listDatasets({});
    assert.deepEqual([listed?.rows.unassigned, listed?.rows.assigned, listed?.profiles], [2, 0, 0]);
    assert.deepEqual(
      (await listProfiles(library)).map((profile) => profile.identityDataset),
      ["Other", undefined, undefined],
    );
  });

  test("refuses profiles and ids that do not exist, and a reset of fixed rows", async (t) => {
    const { library } = await openLibrary(t);
    const nobody = "00000000-0000-4000-8000-000000000000";
    const { dataset } = await newDataset(library, "fixed", accounts, []);
    const id = dataset.id;
    for (const call of [
      library.assignDataset({ datasetId: id, profileIds: [nobody], force: false }),
      library.unassignDataset({ datasetId: id, profileIds: [nobody] }),
    ]) {
      await assert.rejects(call, { kind: "conflict", message: `profile ${nobody} does not exist` });
    }
    for (const call of [
      library.assignDataset({ datasetId: nobody, profileIds: [nobody], force: false }),
      library.unassignDataset({ datasetId: nobody, profileIds: [nobody] }),
      library.appendRows({ datasetId: nobody, rows: bytesOf([{}]) }),
      library.datasetRows({ datasetId: nobody, offset: 0, limit: 1 }),
      library.resetDataset({ datasetId: nobody }),
    ]) {
      await assert.rejects(call, { kind: "not-found", message: `dataset ${nobody} does not exist` });
    }
    await assert.rejects(library.resetDataset({ datasetId: id }), { kind: "invalid", message: /is fixed/ });
  });
});

test("new profiles get a row each, or none of them is created", async (t) => {
  const { library } = await openLibrary(t);
  const make = async (mode: DatasetMode, name: string) =>
    (await newDataset(library, mode, accounts, [account(1), account(2)], null, name)).dataset.id;
  const identityDatasetId = await make("fixed", "Accounts");
  const contentDatasetId = await make("consume", "Posts");
  const nobody = "00000000-0000-4000-8000-000000000000";
  const refusals = [
    { count: 1, datasets: { identityDatasetId: nobody }, kind: "not-found" },
    { count: 1, datasets: { identityDatasetId: contentDatasetId }, kind: "invalid" },
    { count: 1, datasets: { contentDatasetId: identityDatasetId }, kind: "invalid" },
    { count: 3, datasets: { identityDatasetId }, kind: "invalid" },
  ];
  for (const { count, datasets, kind } of refusals) {
    await assert.rejects(createProfiles(library, count, "Profile {n}", datasets), { kind });
  }
  assert.deepEqual(await listProfiles(library), []);
  const ids = await createProfiles(library, 2, "Profile {n}", { identityDatasetId, contentDatasetId });
  assert.deepEqual(
    (await pageOf(library, identityDatasetId)).rows.map((row) => row.profileId),
    ids,
  );
  const [first] = await listProfiles(library);
  assert.deepEqual([first?.identityDataset, first?.contentDataset], ["Accounts", "Posts"]);
  await assert.rejects(createProfiles(library, 1, "Profile {n}", { identityDatasetId }), {
    kind: "invalid",
    message: /has 0 unassigned rows, 1 are needed/,
  });
});
