/** The log's file: order, size, rotation, and a disk that refuses. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ManualClock } from "../../../actors/kernel/clock.ts";
import { createLogFile, logFileName } from "../../../actors/kernel/log-file.ts";
import { limits } from "../../../protocol/limits.ts";
import { until } from "../../gateway/serve.ts";
import { temporaryDir } from "../../storage/open.ts";

const nothing = () => assert.fail("the disk takes everything");

test("lines before and after the opening follow each other in a file of this user only", async (t) => {
  const dir = join(temporaryDir(t), "logs");
  const file = createLogFile(nothing);
  file.write("1\n");
  file.open(dir);
  for (const line of ["2\n", "3\n"]) file.write(line);
  await file.close();
  file.write("after the end\n");
  assert.equal(readFileSync(join(dir, logFileName), "utf8"), "1\n2\n3\n");
  assert.equal(statSync(join(dir, logFileName)).mode & 0o777, 0o600);
  assert.equal(statSync(dir).mode & 0o777, 0o700);
  const again = createLogFile(nothing);
  again.open(dir);
  again.write("4\n");
  await again.close();
  assert.equal(readFileSync(join(dir, logFileName), "utf8"), "1\n2\n3\n4\n");
});

test("a full file is rotated, and the oldest is removed", async (t) => {
  const dir = temporaryDir(t);
  for (const line of ["1", "2", "3", "4", "5"]) {
    const file = createLogFile(nothing, { bytesMax: 10, filesMax: 3 });
    file.open(dir);
    file.write(`${line.repeat(9)}\n`);
    await file.close();
  }
  const texts = readdirSync(dir)
    .sort()
    .map((name) => [name, readFileSync(join(dir, name), "utf8")[0]]);
  assert.deepEqual(texts, [
    ["troupe.1.log", "4"],
    ["troupe.2.log", "3"],
    ["troupe.log", "5"],
  ]);
});

test("lines after a file was moved, as logrotate does, are in a new one", async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, logFileName);
  const file = createLogFile(nothing);
  file.open(dir);
  file.write("1\n");
  await until("the first line", () => existsSync(path) && readFileSync(path, "utf8") === "1\n");
  renameSync(path, join(dir, "moved"));
  file.write("2\n");
  await file.close();
  assert.equal(readFileSync(path, "utf8"), "2\n");
  assert.equal(readFileSync(join(dir, "moved"), "utf8"), "1\n");
});

test("a pipe, a link or another's file in place of the log is refused at once, and not touched", async (t) => {
  const places: Record<string, (path: string, dir: string) => void> = {
    pipe: (path) => void execFileSync("mkfifo", [path]),
    link: (path, dir) => symlinkSync(join(dir, "victim"), path),
    "hard link": (path, dir) => linkSync(join(dir, "victim"), path),
  };
  for (const [what, put] of Object.entries(places)) {
    const dir = temporaryDir(t);
    writeFileSync(join(dir, "victim"), "theirs", { mode: 0o644 });
    put(join(dir, logFileName), dir);
    const refusals: string[] = [];
    const file = createLogFile((why) => refusals.push(why));
    file.open(dir);
    file.write("1\n");
    await until(`the refusal of a ${what}`, () => refusals.length > 0);
    await file.close();
    assert.match(String(refusals[0]), /troupe\.log/, what);
    assert.equal(readFileSync(join(dir, "victim"), "utf8"), "theirs", what);
    assert.equal(statSync(join(dir, "victim")).mode & 0o777, 0o644, what);
  }
});

test("a disk that refuses is named once, and lines are written again when it takes them", async (t) => {
  const clock = new ManualClock();
  const dir = join(temporaryDir(t), "logs");
  writeFileSync(dir, "not a directory");
  const refusals: string[] = [];
  const file = createLogFile((why) => refusals.push(why), undefined, clock);
  file.open(dir);
  file.write("1\n");
  await until("the refusal", () => refusals.length > 0);
  file.write("2\n");
  clock.jump(limits.logRetryMs);
  file.write("3\n");
  rmSync(dir);
  mkdirSync(dir, { recursive: true }); // The log may have made it again already.
  await until("the file", () => {
    clock.jump(limits.logRetryMs);
    file.write("4\n");
    return readdirSync(dir).length > 0;
  });
  await file.close();
  assert.equal(refusals.length, 1);
  assert.match(String(refusals[0]), /logs.*troupe\.log cannot be used: .*\(ENOTDIR\)/);
  const lines = readFileSync(join(dir, logFileName), "utf8").trim().split("\n");
  assert.match(String(lines[0]), /"level":"warn".*"missing":[23]/);
  assert.equal(lines.at(-1), "4");
});
