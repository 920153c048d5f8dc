/** A file is replaced as a whole or not at all. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { replaceFile } from "../../actors/kernel/replace-file.ts";

test("a write that the disk refuses midway keeps the old file, and leaves no draft", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "troupe-test-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, "kept.json");
  await replaceFile(file, (draft) => writeFile(draft, "first"));
  const refused = replaceFile(file, async (draft) => {
    await writeFile(draft, "sec");
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  });
  await assert.rejects(refused, { code: "ENOSPC" });
  assert.equal(await readFile(file, "utf8"), "first");
  assert.deepEqual(await readdir(dir), ["kept.json"]);
});
