/** Names, errors and log lines from others cannot control a terminal or run in a spreadsheet. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { createLog } from "../../actors/kernel/log.ts";
import { complain, say, streams } from "../../gateway/cli/output.ts";
import { show } from "../../gateway/cli/show.ts";
import { forTerminal } from "../../protocol/clean-text.ts";
import type { RunProfile } from "../../protocol/records.ts";
import { csvText, outputRows } from "../../protocol/write-csv.ts";

/** Clears the screen, sets the title, uses C1, bell, backspace and bidirectional controls. */
const hostile = "a\u001b[2J\u001b]0;owned\u0007\u009b31m\b\r\u007f\u202ebcd\u2066\u2029é日😀";
const acts = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

function written(work: () => void): string {
  const { out, err } = streams;
  let all = "";
  const take = {
    write: (text: string | Uint8Array) => {
      all += String(text);
      return true;
    },
  };
  Object.assign(streams, { out: take, err: take });
  try {
    work();
  } finally {
    Object.assign(streams, { out, err });
  }
  return all;
}

test("the command line's output contains no terminal controls, and JSON keeps its values", () => {
  const record = { name: hostile, [hostile]: "b\nc", tags: [hostile], list: [{ [hostile]: hostile }] };
  const texts = [show(record), show([record]), show([hostile]), JSON.stringify(record), hostile];
  const all = written(() => {
    for (const text of texts) say(text);
    complain(hostile);
  });
  for (const line of all.split("\n")) assert.doesNotMatch(line, acts);
  assert.match(all, /é日😀/);
  assert.deepEqual(JSON.parse(written(() => say(JSON.stringify(record)))), record);
});

test("a name takes one line of a table, whatever it contains", () => {
  assert.equal(show([{ name: "a\nb\u2028c", id: "1" }]).split("\n").length, 2);
  assert.equal(forTerminal("two\n\tlines"), "two\n\tlines");
});

test("columns of a script have names of any kind, and none stands for another row's value or the profile's name", () => {
  const part = (profileId: string, row: string) => ({ profileId, output: [JSON.parse(row)] }) as RunProfile;
  const odd = '{"toString":1,"__proto__":2,"constructor":3,"profile":"another"}';
  const rows = outputRows([part("one", odd), part("two", '{"a":4}')], (id) => `Profile ${id}`);
  const [head = [], ...lines]: string[][] = parse(csvText(rows));
  assert.deepEqual(head, ["profile", "toString", "__proto__", "constructor", "output.profile", "a"]);
  assert.deepEqual(lines, [
    ["Profile one", "1", "2", "3", "another", ""],
    ["Profile two", "", "", "", "", "4"],
  ]);
  assert.deepEqual(
    show(rows)
      .split("\n")
      .slice(1)
      .map((line) => line.split(/ {2,}/)[0]),
    ["Profile one", "Profile two"],
  );
});

test("a log line is one line of JSON without raw control characters", () => {
  const lines: string[] = [];
  createLog("test", (line) => lines.push(line)).error(hostile, { [hostile]: new Error(hostile) });
  assert.doesNotMatch(lines.join("").slice(0, -1), acts);
  assert.equal(JSON.parse(lines.join("")).message, hostile);
});

test("the set-up's report of a command's output contains no terminal controls", () => {
  const program = `import { sayFailure, StepFailure } from "./.setup/say.mjs";
    const text = JSON.parse(process.argv[1]);
    sayFailure(new StepFailure(text, { tail: [text], remedy: text }));`;
  const args = [
    "--input-type=module",
    "-e",
    `console.error = () => {}; process.stderr.write = (text) => process.stdout.write(text); ${program}`,
    JSON.stringify(hostile.replace("\u2029", "")),
  ];
  const said = execFileSync(process.execPath, args, { encoding: "utf8" });
  assert.match(said, /failed: a/);
  for (const line of said.split("\n")) assert.doesNotMatch(line, /\p{Cc}/u);
});

test("a CSV file for spreadsheets contains no formula, and a raw one contains everything", () => {
  const formulas = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1",
    '=HYPERLINK("http://x","y")',
  ];
  const plain = ["-12.5", "+49", "a=b", "x@y", "", "'quoted", "two\nlines"];
  const rows = [...formulas, ...plain].map((text) => ({ "=head": text, number: -3 }));
  const read = (text: string): string[][] => parse(text);
  const [header, ...escaped] = read(csvText(rows));
  assert.deepEqual(header, ["'=head", "number"]);
  assert.deepEqual(
    escaped.map(([cell]) => cell),
    [...formulas.map((text) => `'${text}`), ...plain],
  );
  assert.deepEqual(
    escaped.map(([, cell]) => cell),
    rows.map(() => "-3"),
  );
  const [, ...raw] = read(csvText(rows, { escapeFormulas: false }));
  assert.deepEqual(
    raw.map(([cell]) => cell),
    [...formulas, ...plain],
  );
});

test("a reader of CSV files that also splits at semicolons and tabs sees the same cells", () => {
  const cells = ["h;=9+9", "h\t=9+9", 'h";=9+9;"', "h;\t@SUM(A1)", "plain"];
  const rows = cells.map((text) => ({ "head;=1+1": text, "head\t=1+1": { list: [text] }, other: text }));
  for (const escapeFormulas of [true, false]) {
    const text = csvText(rows, { escapeFormulas });
    const read: string[][] = parse(text, { delimiter: [",", ";", "\t"] });
    assert.deepEqual(read, [
      ["head;=1+1", "head\t=1+1", "other"],
      ...cells.map((cell) => [cell, JSON.stringify({ list: [cell] }), cell]),
    ]);
  }
});
