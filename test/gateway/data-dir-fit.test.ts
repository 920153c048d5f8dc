/** Which directories a start takes for its data: it empties `tmp` in them. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { dataDir } from "../../gateway/cli/doctor.ts";
import { dataDirAt, makeDataDir } from "../../storage/data-dir.ts";
import { command } from "./in-process.ts";

function directory(t: TestContext, files: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), "troupe-fit-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(join(dir, file, ".."), { recursive: true });
    writeFileSync(join(dir, file), "mine");
  }
  return dir;
}

const make = (dir: string) => makeDataDir(dataDirAt(dir));

test("a folder with other files is refused, named by some of them, and keeps them; doctor says the same", (t) => {
  for (const files of [["notes.txt"], ["tmp/keep"], ["a", "b", "c", "d"]]) {
    const dir = directory(t, files);
    assert.throws(() => make(dir), {
      kind: "invalid",
      message:
        /has other files in it \((notes\.txt|tmp|a, b, c, …)\) and none of Troupe; name an empty directory/,
    });
    for (const file of files) assert.ok(existsSync(join(dir, file)));
    assert.match(dataDir(dir).finding, /has other files in it/);
    assert.equal(dataDir(dir).ok, false);
  }
});

test("an empty folder, one of a disk's root, one of an earlier start that failed and one of Troupe are taken", (t) => {
  for (const files of [
    [],
    ["lost+found/x", ".DS_Store"],
    ["logs/troupe.log", "cache/x"],
    ["library.sqlite", "tmp/draft", "notes"],
  ]) {
    const dir = directory(t, files);
    make(dir);
    make(dir);
    assert.ok(existsSync(join(dir, "profiles")));
  }
});

test("a linked tmp is refused, because the service would empty what it leads to", (t) => {
  const [dir, away] = [directory(t, ["library.sqlite"]), directory(t, ["precious"])];
  symlinkSync(away, join(dir, "tmp"));
  assert.throws(() => make(dir), { kind: "invalid", message: /tmp is a symbolic link.*remove the link/ });
});

test("an empty --data is refused, because it would be the working directory", async () => {
  for (const words of [
    ["status", "--data", ""],
    ["serve", "--data="],
    ["profiles", "list", "--data", ""],
  ]) {
    const { code, stderr } = await command(...words);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /--data is empty; name a directory, or leave the option out/);
  }
});
