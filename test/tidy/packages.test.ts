/** Holds exact versions and a reason for each package, and shows that each check can fail. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { dependencyFindings, lockFindings } from "./packages.ts";
import { readRepositoryFile, repositoryFiles } from "./tree.ts";

describe("the project's packages", () => {
  test("have exact versions and a reason in README.md's table", () => {
    const readme = repositoryFiles().includes("README.md") ? readRepositoryFile("README.md") : "";
    assert.deepEqual(dependencyFindings(JSON.parse(readRepositoryFile("package.json")), readme), []);
  });
  test("are locked without the address of a registry", () =>
    assert.deepEqual(lockFindings(readRepositoryFile("package-lock.json")), []));
});

describe("the check of packages", () => {
  const readme = "Uses ws a lot.\n\n| Package | Reason |\n| `undici` | HTTP |\n";

  test("takes an exact version with a row", () =>
    assert.deepEqual(dependencyFindings({ dependencies: { undici: "7.30.2" } }, readme), []));
  test("refuses a range", () =>
    assert.equal(dependencyFindings({ devDependencies: { undici: "^7.30.2" } }, readme).length, 1));
  test("refuses a package that only the prose names", () =>
    assert.equal(dependencyFindings({ dependencies: { ws: "8.23.0" } }, readme).length, 1));
  test("refuses a lock file with addresses", () =>
    assert.equal(lockFindings('{ "resolved": "https://packages.example.org/a.tgz" }').length, 1));
});
