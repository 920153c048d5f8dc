/** An unusable TMPDIR is replaced by a usable one, short enough for Chromium's sockets. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fitTempDir, useFitTempDir } from "../../gateway/temp-dir.ts";

const root = mkdtempSync(join("/tmp", "troupe-t-"));
after(() => rmSync(root, { recursive: true, force: true }));

test("a TMPDIR that is writable and short is used", () => {
  assert.equal(fitTempDir(root, "/data"), root);
});

test("one that is missing, a file, empty, read-only or too long is not", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  const long = join(root, "x".repeat(60));
  mkdirSync(long);
  for (const unfit of [join(root, "missing"), file, "", "/proc", long]) {
    assert.equal(fitTempDir(unfit, "/data"), "/tmp", unfit);
  }
});

test("processes started by this one get the directory in use", () => {
  const env = { TMPDIR: join(root, "missing") };
  useFitTempDir("/data", env);
  assert.equal(env.TMPDIR, "/tmp");
});
