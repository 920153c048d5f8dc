/** A distribution's wrapper script runs once to learn its command; launches then start that command directly. */
import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { windowsDevice } from "./fixture/identity-devices.ts";
import { chromiumPath, createTestProfile, makeDir, removeDir } from "./fixture/profile.ts";

let dir: string;
before(async () => {
  dir = await makeDir();
});
after(() => removeDir(dir));

async function writeWrapper(lines: string): Promise<{ path: string; starts(): Promise<number> }> {
  const [path, log] = [join(dir, "wrapper.sh"), join(dir, "starts")];
  await writeFile(path, `#!/bin/sh\necho started >> '${log}'\n${lines}\n`);
  await writeFile(log, "");
  await chmod(path, 0o755);
  return { path, starts: async () => (await readFile(log, "utf8")).split("\n").length - 1 };
}

async function launched(chromium: string, diagnostic = false): Promise<{ line: string; env: string }> {
  const profile = createTestProfile(dir, { chromium });
  const { pid } = await profile.open({ diagnostic }, windowsDevice);
  const { result } = await profile.page.evaluate({ expression: "6 * 7" });
  assert.equal(result, 42);
  const [line, env] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, "utf8"),
    readFile(`/proc/${pid}/environ`, "utf8"),
  ]);
  await profile.control.stop({});
  return { line: line.replaceAll("\0", "\n"), env: env.replaceAll("\0", "\n") };
}

test("a wrapper's additions are learned in one start, and every launch has them without the wrapper", async () => {
  const { path, starts } = await writeWrapper(
    `export WRAPPED='by a test'\nexec ${chromiumPath} --added-by-wrapper "$@"`,
  );
  for (const diagnostic of [false, false, true]) {
    const { line, env } = await launched(path, diagnostic);
    assert.match(line, /^--added-by-wrapper$/m);
    assert.match(env, /^WRAPPED=by a test$/m);
    assert.equal(await starts(), 1);
  }
});

test("a changed wrapper is run again", async () => {
  const { path, starts } = await writeWrapper(`exec ${chromiumPath} --added-by-another "$@"`);
  const { line, env } = await launched(path);
  assert.match(line, /^--added-by-another$/m);
  assert.doesNotMatch(`${line}${env}`, /added-by-wrapper|WRAPPED/);
  assert.equal(await starts(), 1);
});

test("a wrapper that removes arguments is used for every launch", async () => {
  const { path, starts } = await writeWrapper(
    `for given do shift; [ "$given" = --noerrdialogs ] || set -- "$@" "$given"; done\nexec ${chromiumPath} "$@"`,
  );
  const { line } = await launched(path);
  assert.doesNotMatch(line, /noerrdialogs/);
  assert.equal(await starts(), 2);
});
