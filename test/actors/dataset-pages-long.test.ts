/** Pages of datasets whose rows are as large as they may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, newDataset, pageOf } from "./datasets.ts";
import { openLibrary } from "./library.ts";

test("rows are returned in pages, and a page of large values is shorter", async (t) => {
  const { library } = await openLibrary(t);
  const columns = ["a", "b", "c", "d", "e"].map((name) => ({ name }));
  const large = Object.fromEntries(columns.map(({ name }) => [name, name.repeat(64 * 1024)]));
  const { dataset } = await newDataset(
    library,
    "consume",
    columns,
    Array.from({ length: 30 }, () => large),
  );
  await library.appendRows({
    datasetId: dataset.id,
    rows: bytesOf(Array.from({ length: 40 }, () => large)),
  });
  const first = await pageOf(library, dataset.id, 0, 1_000);
  assert.ok(first.rows.length >= 50 && first.rows.length < 60, `${first.rows.length} rows`);
  const rest = await pageOf(library, dataset.id, first.rows.length, 1_000);
  assert.equal(first.rows.length + rest.rows.length, 70);
  assert.deepEqual((await pageOf(library, dataset.id, 70, 10)).rows, []);
});
