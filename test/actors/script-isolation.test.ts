/** How far scripts can be shut in is asked of the system once a service, and never taken for more than it is. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isolationHere, probeIsolation } from "../../actors/script/isolation.ts";

let dir = "";
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
});
after(() => rm(dir, { recursive: true, force: true }));

test("the second to ask is told what the first has found, and one word of it is left", async () => {
  const probed = await probeIsolation();
  assert.deepEqual(await isolationHere(dir), probed);
  assert.deepEqual(await isolationHere(dir), probed);
  const whole = probed.diesWithOwner && probed.memoryLimit && probed.level === "namespaces";
  assert.deepEqual(await readdir(dir), whole ? ["isolation.json"] : []);
});

test("a note that says anything else is no note", async () => {
  const probed = await probeIsolation();
  for (const text of ["", "{", "null", '{"all":false}', '{"prefix":["/bin/sh"]}']) {
    await writeFile(join(dir, "isolation.json"), text);
    assert.deepEqual(await isolationHere(dir), probed);
  }
  if (probed.level === "namespaces" && probed.memoryLimit && probed.diesWithOwner)
    assert.equal(await readFile(join(dir, "isolation.json"), "utf8"), '{"all":true}');
});
