/** Tables of the command line, as a terminal shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { columnsOf } from "../../gateway/cli/output.ts";
import { show } from "../../gateway/cli/show.ts";

test("columns stand below each other when names are Chinese, combined or emoji", () => {
  const names = ["東京 店", "Zoe\u0308", "👩‍👩‍👧 family", "plain"];
  const lines = show(names.map((name) => ({ name, id: "x" }))).split("\n");
  const columns = lines.map((line) => columnsOf(line.replace(/(ID|x)$/, "")));
  assert.deepEqual(new Set(columns).size, 1, lines.join("\n"));
});

test("a long text is cut to 48 columns between characters", () => {
  const [, line = ""] = show([{ note: "👩‍👩‍👧".repeat(60) }]).split("\n");
  assert.equal(line, `${"👩‍👩‍👧".repeat(23)}…`);
  assert.equal(show([{ note: "a".repeat(60) }]).split("\n")[1], `${"a".repeat(47)}…`);
});

test("a table shows the fields of a record within a record", () => {
  const profile = { id: "1", name: "Ada", proxy: { enabled: false, host: "h" } };
  const [head = "", row = ""] = show([{ profile, deleted_at: "now" }]).split("\n");
  assert.match(head, /^PROFILE\.ID +PROFILE\.NAME +DELETED_AT$/);
  assert.match(row, /^1 +Ada +now$/);
});
