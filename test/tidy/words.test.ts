/** No file has a banned word, and the check finds each of them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readRepositoryFile, repositoryFiles } from "./tree.ts";
import { wordRules } from "./word-rules.ts";
import { wordFindings } from "./words.ts";

const texts = repositoryFiles().filter((path) => /\.(tsx?|mjs|json|md|html|css)$|\/run$/.test(path));

test("no file of the repository contains a banned word", () => {
  assert.ok(texts.length > 20);
  assert.deepEqual(
    texts.flatMap((path) => wordFindings(path, readRepositoryFile(path))),
    [],
  );
});

describe("a banned word is found:", () => {
  const samples: [path: string, line: string][] = [
    ["storage/a.ts", "// TODO: later"],
    ["storage/a.ts", 'throw new Error("not implemented");'],
    ["storage/a.ts", "const a = b as any;"],
    ["gateway/a.ts", "const a = b as unknown as string;"],
    ["storage/a.ts", "// @ts-ignore"],
    ["test/storage/a.test.ts", 'test.only("a", () => {});'],
    ["test/storage/a.test.ts", 'test("a", { skip: true }, () => {});'],
    ["test/storage/a.test.ts", 'test("a", { timeout: 5, skip: true }, () => {});'],
    ["storage/a.ts", "console.log(1);"],
    ["README.md", "from registry.example.org"],
    [".setup/a.mjs", "from deb.example.org"],
    ["storage/a.ts", 'const place = "/home/somebody/data";'],
    ["storage/a.ts", 'const place = "/tmp/data";'],
    ["actors/a.ts", "// It lets go of the lock."],
    ["actors/a.ts", "const stat = await readFile('/proc/1/stat');"],
  ];
  for (const [path, line] of samples) {
    test(`${line} in ${path}`, () => assert.equal(wordFindings(path, `a\n${line}\n`).length, 1));
  }
  test("each rule has a sample", () => {
    const bare = wordRules.filter(({ pattern }) => !samples.some(([, line]) => pattern.test(line)));
    assert.deepEqual(bare, []);
  });
});

describe("a word is accepted", () => {
  test("where its rule allows it", () =>
    assert.deepEqual(wordFindings("gateway/cli/status.ts", "console.log(1);"), []));
  test("inside a longer word", () =>
    assert.deepEqual(wordFindings("storage/a.ts", "const skipped = has(any);"), []));
});
