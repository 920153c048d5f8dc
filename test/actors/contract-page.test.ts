/** The table of rules in actors/contract/README.md matches the check. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rulesTable } from "../../actors/contract/rules.ts";
import { root } from "../tidy/tree.ts";

const section = /<!-- made from actors\/contract\/rules\.ts[^\n]*\n([\s\S]*?)\n<!-- end of the rules -->/;

test("the contract's README has the check's table of rules", () => {
  const [, page] = section.exec(readFileSync(join(root, "actors/contract/README.md"), "utf8")) ?? [];
  assert.equal(page, rulesTable());
});
