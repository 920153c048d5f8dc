/** Cited READMEs and headings exist, and the check can fail. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { citationFindings, namedFileFindings } from "./citations.ts";
import { readRepositoryFile, repositoryFiles } from "./tree.ts";

const files = repositoryFiles();
const read = (path: string) => (files.includes(path) ? readRepositoryFile(path) : null);

test("citations and links lead to existing headings", () => {
  const texts = files.filter(
    (path) => /\.(ts|tsx|mjs|md)$/.test(path) && !path.startsWith("test/tidy/citations"),
  );
  assert.deepEqual(
    texts.flatMap((path) => {
      const text = readRepositoryFile(path);
      return [...citationFindings(path, text, read), ...namedFileFindings(path, text, files)];
    }),
    [],
  );
});

describe("the check of citations", () => {
  const page = (path: string) => (path === "a/README.md" ? "# A\n\n## What it does\n" : null);
  const count = (path: string, text: string) => citationFindings(path, text, page).length;

  test("accepts an existing heading, also across two lines of a comment", () => {
    assert.equal(count("b.ts", '// a/README.md, "What it does"'), 0);
    assert.equal(count("b.ts", '/**\n * See a/README.md, "What\n * it does".\n */'), 0);
  });
  test("finds a missing heading", () => assert.equal(count("b.ts", '// a/README.md, "Gone"'), 1));
  test("finds a missing file", () => assert.equal(count("b.ts", '// c/README.md, "A"'), 1));
  test("finds a file that a comment names and that does not exist", () => {
    const named = (path: string, text: string) => namedFileFindings(path, text, ["a/lock.ts"]).length;
    assert.equal(
      named("b.ts", "/** As `lock.ts` and `a/lock.ts`, for `NAME.ts`. */\nconst x = `gone.ts`;"),
      0,
    );
    assert.deepEqual([named("b.ts", "// See `gone.ts`."), named("a/README.md", "`b/lock.ts`")], [1, 1]);
  });
  test("follows Markdown links", () => {
    assert.equal(count("a/README.md", "[a](#what-it-does) [b](README.md#a)"), 0);
    assert.equal(count("a/README.md", "[a](#gone) [b](GONE.md) [c](gone.png)"), 3);
  });
});
