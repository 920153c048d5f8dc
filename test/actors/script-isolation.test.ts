/** The isolation of scripts is probed once per service, and never assumed to be better than it is. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Isolation, isolationHere, probeIsolation } from "../../actors/script/isolation.ts";

let dir = "";
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
});

const view = { readable: ["/usr"], writable: ["/var"], root: "/var/view", workDir: "/var" };

const told = ({ prefix, ...rest }: Isolation) => ({ ...rest, prefix: prefix(view) });
after(() => rm(dir, { recursive: true, force: true }));

test("a second caller gets the first probe's result, which is stored only when the isolation is complete", async () => {
  const probed = await probeIsolation();
  assert.deepEqual(told(await isolationHere(dir)), told(probed));
  assert.deepEqual(told(await isolationHere(dir)), told(probed));
  const whole = probed.memoryLimit && probed.level === "sealed";
  assert.deepEqual(await readdir(dir), whole ? ["isolation.json"] : []);
});

test("a stored result with other text is ignored", async () => {
  const probed = await probeIsolation();
  for (const text of [
    "",
    "{",
    "null",
    '{"all":true}',
    '{"wall":"sh","traced":""}',
    '{"wall":"bubblewrap"}',
  ]) {
    await writeFile(join(dir, "isolation.json"), text);
    assert.deepEqual(told(await isolationHere(dir)), told(probed));
  }
});

test("missing isolation is named with its remedy", async () => {
  const { level, missing, prefix } = await probeIsolation([]);
  assert.equal(level, "lock");
  assert.match(missing ?? "", /files, network and other processes; /);
  assert.doesNotMatch(prefix(view).join(" "), /bwrap|unshare/);
});
