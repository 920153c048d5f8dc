/** CSV files as people have them: mixed line ends, other encodings and separators, ragged rows, odd headers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../../gateway/cli/csv-file.ts";
import { recordsOf } from "../../protocol/read-csv.ts";

const read = (text: string | Uint8Array) =>
  parseCsv("--csv", typeof text === "string" ? Buffer.from(text) : text);
const records = async (text: string | Uint8Array) => {
  const { columns, rows } = await read(text);
  return recordsOf(columns, rows);
};

test("a column named __proto__ is an ordinary column, and is refused when it appears twice", async () => {
  const [row = {}] = await records("__proto__,constructor\nevil,worse\n");
  assert.equal(Object.getPrototypeOf(row), Object.prototype);
  assert.deepEqual(Object.entries(row), [
    ["__proto__", "evil"],
    ["constructor", "worse"],
  ]);
  await assert.rejects(read("__proto__,__proto__\na,b\n"), /names the column __proto__ twice/);
});

test("mixed line ends put nothing into a value, and spaces around names do not count", async () => {
  const expected = [
    { user: "ada", password: "a" },
    { user: "bob", password: "b" },
    { user: "eve", password: " e " },
  ];
  assert.deepEqual(await records("user , password\r\nada,a\nbob,b\r\neve, e \r"), expected);
  assert.deepEqual(await records('user,password\nada,a\r\n\r\nbob,"b"\neve, e '), expected);
});

test("commas, semicolons and tabs separate, also of Excel's Unicode text", async () => {
  const expected = [{ name: "Jörg", "a,b": "1;2" }];
  assert.deepEqual(await records('name;"a,b"\nJörg;"1;2"\n'), expected);
  assert.deepEqual(await records('\ufeffname\t"a,b"\nJörg\t1;2\n'), expected);
  const utf16 = Buffer.from('\ufeffname\t"a,b"\r\nJörg\t1;2\r\n', "utf16le");
  assert.deepEqual(await records(utf16), expected);
});

test("a ragged row is a bad row by its number, and the others are read", async () => {
  const { rows, badRows } = await read("a,b\n1,2\n\n3\n4,5,6\n7,8\n");
  assert.deepEqual(
    rows.map(({ row, cells }) => [row, ...cells]),
    [
      [1, "1", "2"],
      [4, "7", "8"],
    ],
  );
  assert.deepEqual(badRows, [
    { row: 2, error: "it has 1 cells, but the header has 2" },
    { row: 3, error: "it has 3 cells, but the header has 2" },
  ]);
});

test("what is no such file is refused in words, never read as something else", async () => {
  await assert.rejects(
    read(Buffer.from("name\nJ\xf6rg\n", "latin1")),
    /not UTF-8 text; save it as CSV in UTF-8/,
  );
  await assert.rejects(read(""), /the file is empty/);
  await assert.rejects(read("a,,b\n1,2,3\n"), /column 2 has no name/);
  await assert.rejects(read('a\n"open\n'), /--csv must be CSV with a header line: .*[Qq]uote/);
});
