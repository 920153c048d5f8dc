/** Processes with a lower priority: their own, and on Linux their session's. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { stepProcessBack, steppedBackNice } from "../../../actors/kernel/process-priority.ts";

test("a process lowers its priority with its session and its children, but not ours", async (t) => {
  const script =
    "const { spawn } = require('node:child_process'); process.stdin.once('data', () => " +
    "console.log(spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] }).pid));";
  const child = spawn(process.execPath, ["-e", script], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => process.kill(-Number(child.pid), "SIGKILL"));
  const pid = Number(child.pid);
  const own = getPriority(process.pid);
  stepProcessBack(pid);
  assert.equal(getPriority(pid), steppedBackNice());
  assert.equal(getPriority(process.pid), own);
  const group = `/proc/${pid}/autogroup`;
  if (existsSync(group))
    assert.match(readFileSync(group, "utf8"), new RegExp(` nice ${steppedBackNice()}\n`));
  child.stdin.write("start one\n");
  const [line] = await once(child.stdout, "data");
  assert.equal(getPriority(Number(line)), steppedBackNice());
});

test("a process that has exited causes no error", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "close");
  stepProcessBack(Number(child.pid));
});
