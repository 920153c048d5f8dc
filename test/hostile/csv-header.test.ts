/** Any name in a CSV file's header is an ordinary column name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../../gateway/cli/csv.ts";

test("a column named __proto__ is an ordinary column, and is refused when it appears twice", async () => {
  const { rows } = await parseCsv("--csv", "__proto__,constructor\nevil,worse\n");
  const [row = {}] = rows;
  assert.equal(Object.getPrototypeOf(row), Object.prototype);
  assert.deepEqual(Object.entries(row), [
    ["__proto__", "evil"],
    ["constructor", "worse"],
  ]);
  await assert.rejects(parseCsv("--csv", "__proto__,__proto__\na,b\n"), /two columns are called __proto__/);
});
