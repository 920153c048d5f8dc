/** Places, names, sizes and headers of the files are right, and each check can fail. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { headerFindings, nameFindings, sizeFindings, topLevelFindings } from "./layout.ts";
import { topLevel } from "./layout-rules.ts";
import { parseSource, repositorySources, root } from "./tree.ts";

const sources = repositorySources();

describe("the repository", () => {
  test("has only the allowed entries at the top level", () =>
    assert.deepEqual(topLevelFindings(readdirSync(root)), []));
  test("has file names in kebab-case, without words that say nothing", () =>
    assert.deepEqual(
      sources.flatMap(({ path }) => nameFindings(path)),
      [],
    ));
  test("has no file and no function above the size limits", () =>
    assert.deepEqual(sources.flatMap(sizeFindings), []));
  test("has a comment at the start of each file", () =>
    assert.deepEqual(sources.flatMap(headerFindings), []));
});

describe("the check of the top level", () => {
  test("accepts dotfiles, generated folders and logs", () =>
    assert.deepEqual(topLevelFindings([...topLevel, ".setup", "dist", "npm-debug.log"]), []));
  test("finds an unknown entry", () => assert.equal(topLevelFindings([...topLevel, "src"]).length, 1));
  test("finds a missing entry", () => assert.equal(topLevelFindings(topLevel.slice(1)).length, 1));
});

describe("the check of names", () => {
  for (const path of [
    "storage/Journal.ts",
    "storage/file_lock.ts",
    "gateway/string-utils.ts",
    "a/run-manager.ts",
  ]) {
    test(`refuses ${path}`, () => assert.equal(nameFindings(path).length, 1));
  }
  test("accepts kebab-case and test files", () =>
    assert.deepEqual([...nameFindings("a/file-lock.ts"), ...nameFindings("test/a/file-lock.test.ts")], []));
});

describe("the check of sizes", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => `export const a${at} = ${at};\n`).join("");
  const body = (count: number) => "  f();\n".repeat(count);
  const sizes = (text: string) => sizeFindings(parseSource("gateway/a.ts", text));

  test("accepts a file of 300 lines and refuses one of 301", () => {
    assert.deepEqual(sizes(lines(300)), []);
    assert.equal(sizes(lines(301)).length, 1);
  });
  test("accepts a function of 60 lines, and refuses one of 61 with its line", () => {
    assert.deepEqual(sizes(`function f() {\n${body(58)}}\n`), []);
    assert.deepEqual(sizes(`\nconst f = () => {\n${body(59)}};\n`), [
      "gateway/a.ts:2 a function of 61 lines, at most 60",
    ]);
  });
  test("refuses a long method", () => assert.equal(sizes(`class A {\nf() {\n${body(59)}}\n}\n`).length, 1));
  test("measures a factory and its named functions separately", () => {
    const inner = `function f() {\n${body(35)}}\nconst g = () => {\n${body(35)}};\nreturn { h() {\n${body(35)}} };\n`;
    assert.deepEqual(sizes(`function create() {\n${inner}}\n`), []);
    assert.equal(sizes(`function create() {\n${body(61)}${inner}}\n`).length, 2);
    assert.equal(sizes(`function create() {\nfunction f() {\n${body(59)}}\n}\n`).length, 1);
  });
  test("refuses a factory of more than 120 lines in all", () => {
    const inner = (count: number) => `const f = () => {\n${body(count)}};\n`;
    assert.deepEqual(sizes(`function create() {\n${inner(56).repeat(2)}}\n`), []);
    assert.equal(sizes(`function create() {\n${inner(58).repeat(2)}f();\n}\n`).length, 1);
  });
  test("counts a callback as part of the function around it", () =>
    assert.equal(sizes(`function f() {\n${body(30)}each(() => {\n${body(30)}});\n}\n`).length, 1));
  test("accepts a long suite", () => assert.deepEqual(sizes(`describe("a", () => {\n${body(70)}});\n`), []));
});

describe("the check of headers", () => {
  const headers = (text: string) => headerFindings(parseSource("gateway/a.ts", text)).length;

  test("refuses a file that begins with code", () => assert.equal(headers("export const a = 1;\n"), 1));
  test("accepts a comment, also after a #! line", () => {
    assert.equal(headers("/** What it owns. */\nexport const a = 1;\n"), 0);
    assert.equal(headers("#!/usr/bin/env node\n// What it owns.\nexport const a = 1;\n"), 0);
  });
});
