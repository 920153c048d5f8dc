/** The sources keep the import table, and each check can fail. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { barrelFindings, cycleFindings, packageFindings, tableFindings } from "./imports.ts";
import { parseSource, repositorySources } from "./tree.ts";

const sources = repositorySources();

describe("the sources", () => {
  test("are found", () => assert.ok(sources.length > 20, `${sources.length} sources`));
  test("import only what the table allows", () => assert.deepEqual(tableFindings(sources), []));
  test("import each external package through one file per folder", () =>
    assert.deepEqual(packageFindings(sources), []));
  test("have no import cycles", () => assert.deepEqual(cycleFindings(sources), []));
  test("have no barrels", () => assert.deepEqual(sources.flatMap(barrelFindings), []));
});

describe("the import table", () => {
  const refused: [string, string][] = [
    ["gateway/gate.ts", 'import { open } from "../storage/database.ts";'],
    ["gateway/gate.ts", 'import { launch } from "../actors/profile/launch.ts";'],
    ["gateway/cli/serve.ts", 'import { createRemote } from "../../actors/kernel/remote.ts";'],
    ["actors/pool/actor.ts", 'import { launch } from "../profile/launch.ts";'],
    ["actors/pool/actor.ts", 'import type { Row } from "../../storage/database.ts";'],
    ["actors/pool/actor.ts", 'const code = await import("../profile/launch.ts");'],
    ["actors/pool/actor.ts", "const code = await import(`../profile/launch.ts`);"],
    ["actors/pool/actor.ts", 'type Launch = import("../profile/launch.ts").Launch;'],
    ["actors/pool/actor.ts", 'export { launch } from "../profile/launch.ts";'],
    ["actors/kernel/rpc.ts", 'import { start } from "../pool/actor.ts";'],
    ["actors/dsl/compile.ts", 'import { join } from "node:path";'],
    ["storage/journal.ts", 'import { createLog } from "../actors/kernel/log.ts";'],
    ["protocol/records.ts", 'import { gate } from "../gateway/gate.ts";'],
    ["protocol/records.ts", 'import { request } from "undici";'],
    ["elsewhere/a.ts", "export const a = 1;"],
  ];
  for (const [path, text] of refused) {
    test(`refuses ${text} in ${path}`, () =>
      assert.equal(tableFindings([parseSource(path, text)]).length, 1));
  }
  const allowed: [string, string][] = [
    ["gateway/gate.ts", 'import { createRemote } from "../actors/kernel/remote.ts";'],
    ["gateway/cli/serve.ts", 'import { start } from "../main.ts";'],
    ["actors/library/actor.ts", 'import { open } from "../../storage/database.ts";'],
    ["actors/profile/page/click.ts", 'import { send } from "../cdp/session.ts";'],
    ["protocol/messages/pool.ts", 'import type { MessagePort } from "node:worker_threads";'],
    ["test/actors/pool.test.ts", 'import { start } from "../../actors/pool/actor.ts";'],
  ];
  for (const [path, text] of allowed) {
    test(`allows ${text} in ${path}`, () => assert.deepEqual(tableFindings([parseSource(path, text)]), []));
  }
});

describe("the check of packages", () => {
  const value = 'import { WebSocket } from "ws";';
  const find = (...files: [string, string][]) =>
    packageFindings(files.map(([path, text]) => parseSource(path, text))).length;

  test("finds a package that two files of a folder import", () =>
    assert.equal(find(["actors/profile/a.ts", value], ["actors/profile/cdp/b.ts", value]), 1));
  test("allows two folders to import the same package", () =>
    assert.equal(find(["actors/profile/a.ts", value], ["gateway/b.ts", value]), 0));
  test("ignores type imports", () =>
    assert.equal(find(["gateway/a.ts", value], ["gateway/b.ts", 'import type { WebSocket } from "ws";']), 0));
});

describe("the check of cycles and barrels", () => {
  test("finds a cycle and lists its files", () => {
    const found = cycleFindings([
      parseSource("gateway/a.ts", 'import { b } from "./b.ts";'),
      parseSource("gateway/b.ts", 'import type { C } from "./c.ts";'),
      parseSource("gateway/c.ts", 'export { a } from "./a.ts";'),
    ]);
    assert.deepEqual(found, ["a cycle: gateway/a.ts → gateway/b.ts → gateway/c.ts → gateway/a.ts"]);
  });
  test("finds a barrel", () =>
    assert.equal(barrelFindings(parseSource("gateway/all.ts", 'export * from "./a.ts";')).length, 1));
  test("accepts a file that also declares something", () =>
    assert.deepEqual(
      barrelFindings(parseSource("gateway/a.ts", 'export * from "./a.ts"; export const b = 1;')),
      [],
    ));
});
