/** Each package has an exact version and a reason, and each check can fail. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { packageOf } from "./imports.ts";
import { dependencyFindings, lockedFindings, lockFindings, type Manifest, namesIn } from "./packages.ts";
import { readRepositoryFile, repositoryFiles, repositorySources } from "./tree.ts";

const manifests = ["", "bench/", "gateway/client/", "test/clients/", "test/nodes/", "test/widgets/"];
const reasonFiles = [".github/DEPENDENCIES.md", "bench/README.md"];

describe("the project's packages", () => {
  test("are in known manifests only", () =>
    assert.deepEqual(
      repositoryFiles().filter((path) => /(^|\/)package\.json$/.test(path)),
      manifests.map((folder) => `${folder}package.json`).toSorted(),
    ));
  for (const folder of manifests) {
    const manifest: Manifest = JSON.parse(readRepositoryFile(`${folder}package.json`));
    const lock = readRepositoryFile(`${folder}package-lock.json`);
    test(`of ${folder}package.json have exact versions and a reason in a table`, () => {
      const reasons = reasonFiles.map(readRepositoryFile).join("\n");
      assert.deepEqual(dependencyFindings(manifest, reasons), []);
    });
    test(`of ${folder}package.json are locked at those versions, without the address of a registry`, () => {
      assert.deepEqual(lockFindings(lock), []);
      assert.deepEqual(lockedFindings(manifest, lock), []);
    });
  }
  test("are each in one manifest only", () => {
    const [own, peers] = manifests.map((folder) =>
      namesIn(JSON.parse(readRepositoryFile(`${folder}package.json`))),
    );
    assert.deepEqual(
      own?.filter((name) => peers?.includes(name)),
      [],
    );
  });
});

test("what the service imports at run time is installed with it, or bundled", () => {
  const { dependencies }: Manifest = JSON.parse(readRepositoryFile("package.json"));
  const bundled = /bundledPackages = \[([^\]]*)\]/.exec(readRepositoryFile(".setup/build.mjs"))?.[1] ?? "";
  // Only a checkout runs from source.
  const fromSource = /^actors\/(kernel\/boot(-task)?\.mjs|script\/entry\.ts)$/;
  const product = repositorySources().filter(
    ({ path }) =>
      /^(gateway|actors|protocol|storage)\//.test(path) &&
      !/^gateway\/(app\/page|client)\//.test(path) &&
      !fromSource.test(path),
  );
  const lacking = product.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ specifier, target, typeOnly }) => target === null && !typeOnly && !specifier.startsWith("node:"),
      )
      .map(({ specifier }) => packageOf(specifier))
      // Who uses a fleet installs it (actors/fleet/README.md).
      .filter((name) => !["pg", "aws4fetch"].includes(name))
      .filter((name) => dependencies?.[name] === undefined && !bundled.includes(`"${name}"`))
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(lacking, []);
});

describe("the check of packages", () => {
  const readme = "Uses ws a lot.\n\n| Package | Reason |\n| `undici` | HTTP |\n";

  test("accepts an exact version with a row", () =>
    assert.deepEqual(dependencyFindings({ dependencies: { undici: "7.30.2" } }, readme), []));
  test("refuses a range", () =>
    assert.equal(dependencyFindings({ devDependencies: { undici: "^7.30.2" } }, readme).length, 1));
  test("refuses a package that only the text outside the table names", () =>
    assert.equal(dependencyFindings({ dependencies: { ws: "8.23.0" } }, readme).length, 1));
  test("refuses a lock file of other versions", () => {
    const lock = JSON.stringify({ packages: { "node_modules/ws": { version: "8.23.0" } } });
    assert.deepEqual(lockedFindings({ dependencies: { ws: "8.23.0" } }, lock), []);
    assert.equal(lockedFindings({ dependencies: { ws: "8.22.0", undici: "7.30.2" } }, lock).length, 2);
  });
  test("refuses a lock file with addresses", () =>
    assert.equal(lockFindings('{ "resolved": "https://packages.example.org/a.tgz" }').length, 1));
});
